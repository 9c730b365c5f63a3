//! The files of a campaign: what it is, what a part does, and how a batch system starts parts.

use std::fs;
use std::path::Path;

use super::{Campaign, CampaignArgs, Stop};

/// Writes them all.
pub fn write(campaign: &Campaign, folder: &Path, program: &Path, args: &CampaignArgs) -> Result<(), Stop> {
    let text = serde_json::to_string_pretty(campaign).map_err(|error| Stop::Usage(error.to_string()))?;
    let put = |name: &str, text: String| {
        let path = folder.join(name);
        fs::write(&path, text)
            .map_err(|error| Stop::Usage(format!("cannot write `{}`: {error}", path.display())))
    };
    put("tests.list", campaign.tests.iter().map(|test| format!("{test}\n")).collect())?;
    put("task.sh", task(campaign, folder, program))?;
    if args.slurm.is_some() {
        put("array.sbatch", array(campaign, folder, args))?;
        put("collect.sbatch", last(folder, program, args))?;
    } else {
        put("parallel.sh", parallel(campaign, folder, args))?;
    }
    // Last: a folder that has it is whole.
    put("campaign.json", text)
}

/// One part. A part that was killed is started again, and keeps what it has.
fn task(campaign: &Campaign, folder: &Path, program: &Path) -> String {
    let options: Vec<String> = campaign.options.iter().map(|option| quoted(option)).collect();
    let folder = folder.display().to_string();
    format!(
        "#!/bin/sh\n\
         # Part $1 of {parts}: takes up what an earlier try has left.\n\
         part=\"$1\"\n\
         cd {dir} || exit 2\n\
         rm -f \"part-$part.exit\"\n\
         {program} run @tests.list {options} -q --format jsonl --shard \"$part/{parts}\" --resume \"part-$part.jsonl\"\n\
         code=$?\n\
         # By a name of its own first: who looks at it sees all of it, or nothing.\n\
         echo $code > \"part-$part.exit.new\" && mv \"part-$part.exit.new\" \"part-$part.exit\"\n\
         # Tests that fail are results. A part fails if it did not come to its end.\n\
         [ $code -le 5 ]\n",
        parts = campaign.parts,
        dir = quoted(&folder),
        program = quoted(&program.display().to_string()),
        options = options.join(" "),
    )
}

fn header(name: &str, args: &CampaignArgs) -> String {
    let mut text = format!("#!/bin/sh\n#SBATCH --job-name={name}\n");
    if let Some(partition) = &args.partition {
        text += &format!("#SBATCH --partition={partition}\n");
    }
    text
}

fn array(campaign: &Campaign, folder: &Path, args: &CampaignArgs) -> String {
    let mut text = header("litmus", args);
    if let Some(time) = &args.time {
        text += &format!("#SBATCH --time={time}\n");
    }
    let folder = folder.display().to_string();
    text +=
        &format!("#SBATCH --array=1-{}\n#SBATCH --requeue\n#SBATCH --output=part-%a.out\n", campaign.parts);
    text + &format!("exec sh {}/task.sh \"$SLURM_ARRAY_TASK_ID\"\n", quoted(&folder))
}

fn last(folder: &Path, program: &Path, args: &CampaignArgs) -> String {
    let (program, folder) = (program.display().to_string(), folder.display().to_string());
    header("litmus-collect", args)
        + &format!(
            "#SBATCH --output=summary.txt\nexec {} campaign collect {}\n",
            quoted(&program),
            quoted(&folder)
        )
}

fn parallel(campaign: &Campaign, folder: &Path, args: &CampaignArgs) -> String {
    let hosts = args.hosts.as_ref().map(|hosts| format!(" --sshlogin {}", quoted(hosts))).unwrap_or_default();
    let folder = folder.display().to_string();
    // A part that was lost with its machine is tried again.
    format!(
        "#!/bin/sh\nseq {} | parallel --retries 3{hosts} sh {}/task.sh {{}}\n",
        campaign.parts,
        quoted(&folder)
    )
}

/// A word for a shell.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_string();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}
