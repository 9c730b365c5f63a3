//! What the instructions of a thread settle among its events: the same lists for a path and for a world.

/// Pairs of events, by what joins them. In a path events are numbered as they were made, in a world as the world has them.
#[derive(Clone, Debug, Default)]
pub struct Edges {
    /// Causality inside an instruction: data.
    pub iico_data: Vec<(u32, u32)>,
    /// Likewise, control.
    pub iico_ctrl: Vec<(u32, u32)>,
    /// Likewise, order.
    pub iico_order: Vec<(u32, u32)>,
    /// Register reads-from: from the event that writes a register to one that reads it.
    pub rf_reg: Vec<(u32, u32)>,
    /// Structured control (C): from what a condition read to the events it guards.
    pub control: Vec<(u32, u32)>,
    /// Which events feed the address of an access.
    pub addr_in: Vec<(u32, u32)>,
    /// Which events feed the value of a store.
    pub data_in: Vec<(u32, u32)>,
}

impl Edges {
    /// Causality inside an instruction, of all three kinds.
    pub fn iico(&self) -> impl Iterator<Item = &(u32, u32)> {
        self.iico_data.iter().chain(&self.iico_ctrl).chain(&self.iico_order)
    }

    /// Every list.
    pub fn all(&self) -> [&[(u32, u32)]; 7] {
        let Edges { iico_data, iico_ctrl, iico_order, rf_reg, control, addr_in, data_in } = self;
        [iico_data, iico_ctrl, iico_order, rf_reg, control, addr_in, data_in]
    }

    /// Adds to each list what `pairs` makes of the other's.
    pub fn extend_with<P: IntoIterator<Item = (u32, u32)>>(
        &mut self,
        other: &Edges,
        pairs: impl Fn(&[(u32, u32)]) -> P,
    ) {
        let Edges { iico_data, iico_ctrl, iico_order, rf_reg, control, addr_in, data_in } = self;
        let own = [iico_data, iico_ctrl, iico_order, rf_reg, control, addr_in, data_in];
        for (own, list) in own.into_iter().zip(other.all()) {
            own.extend(pairs(list));
        }
    }
}
