//! A small plot: executions and time against size, both on a logarithmic scale, as SVG.

use std::fmt::Write;

/// One measured size.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// The size.
    pub size: usize,
    /// Executions found.
    pub executions: f64,
    /// Seconds needed.
    pub seconds: f64,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 70.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 45.0;

/// A logarithmic scale over whole decades.
struct Decades {
    low: f64,
    high: f64,
}

impl Decades {
    fn over(values: impl Iterator<Item = f64>) -> Decades {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|v| *v > 0.0) {
            low = low.min(value.log10().floor());
            high = high.max(value.log10().ceil());
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        Decades { low, high: high.max(low + 1.0) }
    }

    fn y(&self, value: f64) -> f64 {
        let share = (value.max(1e-12).log10() - self.low) / (self.high - self.low);
        HEIGHT - BOTTOM - share.clamp(0.0, 1.0) * (HEIGHT - TOP - BOTTOM)
    }

    fn ticks(&self) -> impl Iterator<Item = i32> {
        self.low as i32..=self.high as i32
    }
}

/// The plot of a family's measurements: executions (left axis, circles) and seconds (right axis, squares).
pub fn plot(title: &str, points: &[Point]) -> String {
    let sizes = points.iter().map(|p| p.size);
    let (first, last) = (sizes.clone().min().unwrap_or(0), sizes.max().unwrap_or(1));
    let span = (last - first).max(1) as f64;
    let x = |size: usize| LEFT + (size - first) as f64 / span * (WIDTH - LEFT - RIGHT);
    let executions = Decades::over(points.iter().map(|p| p.executions));
    let seconds = Decades::over(points.iter().map(|p| p.seconds));

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{}\" y=\"20\" text-anchor=\"middle\" font-size=\"14\">{}</text>\n",
        WIDTH / 2.0,
        title.replace('&', "&amp;").replace('<', "&lt;")
    );
    for tick in executions.ticks() {
        let y = executions.y(10f64.powi(tick));
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" stroke=\"#ddd\"/><text x=\"{:.1}\" y=\"{:.1}\" \
             text-anchor=\"end\" fill=\"#1f4e9c\">1e{tick}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            y + 4.0
        );
    }
    for tick in seconds.ticks() {
        let y = seconds.y(10f64.powi(tick));
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"#b5451b\">1e{tick} s</text>",
            WIDTH - RIGHT + 6.0,
            y + 4.0
        );
    }
    let step = ((last - first) / 12).max(1);
    for size in (first..=last).step_by(step) {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{size}</text>",
            x(size),
            HEIGHT - BOTTOM + 18.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">size</text>\n\
         <text x=\"{LEFT}\" y=\"{:.1}\" fill=\"#1f4e9c\">executions</text>\n\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#b5451b\">seconds</text>",
        WIDTH / 2.0,
        HEIGHT - 8.0,
        TOP - 8.0,
        WIDTH - RIGHT,
        TOP - 8.0
    );
    let line = |name: &str, color: &str, y: &dyn Fn(&Point) -> f64| {
        let path: Vec<String> = points.iter().map(|p| format!("{:.1},{:.1}", x(p.size), y(p))).collect();
        format!(
            "<polyline class=\"{name}\" points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>\n",
            path.join(" ")
        )
    };
    svg += &line("executions", "#1f4e9c", &|p| executions.y(p.executions));
    svg += &line("seconds", "#b5451b", &|p| seconds.y(p.seconds));
    for point in points {
        let at = x(point.size);
        let _ = writeln!(
            svg,
            "<circle cx=\"{at:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"#1f4e9c\"/><rect x=\"{:.1}\" y=\"{:.1}\" width=\"6\" height=\"6\" \
             fill=\"#b5451b\"/>",
            executions.y(point.executions),
            at - 3.0,
            seconds.y(point.seconds) - 3.0
        );
    }
    svg += "</svg>\n";
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_lie_inside_and_grow_upwards() {
        let points = [
            Point { size: 1, executions: 2.0, seconds: 0.0001 },
            Point { size: 2, executions: 40.0, seconds: 0.002 },
            Point { size: 3, executions: 900.0, seconds: 0.05 },
        ];
        let svg = plot("readers < x", &points);
        assert!(svg.contains("readers &lt; x"));
        let line = svg.lines().find(|l| l.contains("class=\"executions\"")).unwrap();
        let ys: Vec<f64> = line
            .split("points=\"")
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap()
            .split(' ')
            .map(|pair| pair.split(',').nth(1).unwrap().parse().unwrap())
            .collect();
        assert!(ys.windows(2).all(|w| w[0] > w[1]), "{ys:?}");
        assert!(ys.iter().all(|y| (TOP..=HEIGHT - BOTTOM).contains(y)), "{ys:?}");
    }

    #[test]
    fn no_measurement_is_no_panic() {
        assert!(plot("empty", &[]).ends_with("</svg>\n"));
    }
}
