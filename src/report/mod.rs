//! Results as people and programs read them: one file per form.
