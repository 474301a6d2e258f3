//! The Mercury copies (.nv.merc.*) of cubin sections: names and policy.
