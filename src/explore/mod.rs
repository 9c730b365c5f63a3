//! The stateless search.
