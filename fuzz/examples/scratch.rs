#![allow(warnings)]
#[path = "../tests/seeds/mod.rs"]
mod seeds;
use seeds::*;
use std::panic::catch_unwind;
use std::sync::Mutex;
static MSG: Mutex<String> = Mutex::new(String::new());
fn fails(body: fn(&[u8]), data: &[u8]) -> Option<String> {
    let r = catch_unwind(|| body(data));
    r.is_err().then(|| MSG.lock().unwrap().clone())
}
fn shrink(body: fn(&[u8]), mut data: Vec<u8>, key: &str) -> Vec<u8> {
    let mut size = data.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < data.len() {
            let mut next = data.clone();
            next.drain(at..(at + size).min(next.len()));
            if fails(body, &next).is_some_and(|m| m.starts_with(key)) { data = next } else { at += size }
        }
        size /= 2;
    }
    data
}
fn main() {
    std::panic::set_hook(Box::new(|i| {
        let m = i.payload().downcast_ref::<String>().cloned().or(i.payload().downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_default();
        *MSG.lock().unwrap() = format!("{}: {}", i.location().unwrap(), m.chars().take(3000000).collect::<String>());
    }));
    let args: Vec<String> = std::env::args().collect();
    let (body, seeds): (fn(&[u8]), _) = match &*args[1] {
        "ptx" => (nvdwarf_fuzz::ptx::run as fn(&[u8]), files("ptx")),
        "cubin" => (nvdwarf_fuzz::cubin::run, files("cubin")),
        "codecs" => (nvdwarf_fuzz::codecs::run, sections()),
        _ => (nvdwarf_fuzz::line_table::run, sections()),
    };
    if let Some(path) = args.get(3) { 
        let data = std::fs::read(path).unwrap();
        println!("{:?}", fails(body, &data).map(|m| m.chars().take(400).collect::<String>()));
        return;
    }
    let n: usize = args[2].parse().unwrap();
    let mut random = Random::default();
    let mut seen = std::collections::BTreeMap::<String, (usize, Vec<u8>)>::new();
    for _ in 0..n {
        let data = mutate(&seeds, &mut random);
        if let Some(m) = fails(body, &data) {
            let key = m.split(": ").next().unwrap().to_string();
            let e = seen.entry(key).or_insert((0, data.clone()));
            e.0 += 1;
            if data.len() < e.1.len() { e.1 = data; }
        }
    }
    for (key, (count, data)) in seen {
        let small = if args[1] != "cubin" { shrink(body, data, &key) } else { data };
        let m = fails(body, &small).unwrap();
        println!("== {key} x{count} len {}\n{}", small.len(), m.chars().take(300).collect::<String>());
        if let Some((l, r)) = m.split_once("\n right: ") {
            let l = l.split_once(" left: ").unwrap().1;
            let at = l.bytes().zip(r.bytes()).position(|(a, b)| a != b).unwrap_or(0);
            let cut = |s: &str| s.chars().skip(at.saturating_sub(300)).take(500).collect::<String>();
            println!("LEFT {}\nRIGHT {}", cut(l), cut(r));
        }
        if small.len() < 300 { println!("{:?}", String::from_utf8_lossy(&small)); println!("{small:02x?}"); }
        std::fs::write(format!("/tmp/fail-{}-{}", args[1], key.replace(['/', ':'], "_")), &small).unwrap();
    }
}
