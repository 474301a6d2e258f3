//! LEB128 for debug sections: no_std, no allocation, errors without positions (callers know those).
