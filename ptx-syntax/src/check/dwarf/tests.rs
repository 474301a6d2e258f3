use super::{Input, read};
#[test]
fn dump() {
    let Ok(path) = std::env::var("NVDWARF_DUMP") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let hex = |s: &str| {
        (0..s.len() / 2).map(|i| u8::from_str_radix(&s[2 * i..2 * i + 2], 16).unwrap()).collect::<Vec<u8>>()
    };
    let mut out = String::new();
    for line in text.lines() {
        let mut parts = line.split(' ');
        let info = hex(parts.next().unwrap());
        let abbrev = hex(parts.next().unwrap());
        let reading = read(&Input { info: &info, abbrev: Some(&abbrev), ..Input::default() });
        out += &format!("{:?} {}\n", reading.ptxas, reading.faults.len());
    }
    std::fs::write(std::env::var("NVDWARF_OUT").unwrap(), out).unwrap();
}
