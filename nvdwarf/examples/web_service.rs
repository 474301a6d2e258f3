//! A web service that says where code comes from: four threads answer `GET
//! /?function=saxpy&offset=0x300` from one module. Clients in the same program ask it and compare
//! its answers with those of the module.
//!
//! `cargo run -p nvdwarf --example web_service`
#![allow(clippy::print_stdout, reason = "this is a program")]

use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

use nvdwarf::{Image, Module};

const WORKERS: usize = 4;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// The answer to a target such as `/?function=saxpy&offset=0x300`, or what is wrong with it.
fn answer(image: &Image, target: &str) -> Result<String> {
    let query = target.strip_prefix("/?").ok_or("expected /?function=NAME&offset=NUMBER")?;
    let value =
        |key: &str| query.split('&').filter_map(|pair| pair.split_once('=')).find(|pair| pair.0 == key);
    let (_, function) = value("function").ok_or("no function")?;
    let (_, offset) = value("offset").ok_or("no offset")?;
    let offset = match offset.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16)?,
        None => offset.parse()?,
    };
    let function = image.function(function)?;
    Ok(image.locate(&function, offset)?.to_string())
}

/// Answers requests until one asks for `/quit`.
fn serve(listener: &TcpListener, module: &Module) -> Result<()> {
    let image = module.image("sm_90").ok_or("no cubin for sm_90")?;
    for stream in listener.incoming() {
        let mut stream = stream?;
        let mut request = String::new();
        let mut reader = BufReader::new(&stream);
        while reader.read_line(&mut request)? > 2 {}
        let target = request.split(' ').nth(1).unwrap_or_default();
        let (status, body) = match answer(image, target) {
            _ if target == "/quit" => ("200 OK", String::new()),
            Ok(body) => ("200 OK", body),
            Err(error) => ("400 Bad Request", error.to_string()),
        };
        write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )?;
        if target == "/quit" {
            break;
        }
    }
    Ok(())
}

fn get(address: SocketAddr, target: &str) -> Result<(String, String)> {
    let mut stream = TcpStream::connect(address)?;
    write!(stream, "GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut response = String::new();
    stream.read_to_string(&mut response)?;
    let (head, body) = response.split_once("\r\n\r\n").unwrap_or_default();
    Ok((head.lines().next().unwrap_or_default().to_owned(), body.to_owned()))
}

/// Starts the service, asks it, and stops it again. Says how many answers were right.
fn run() -> Result<String> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/saxpy/saxpy.cubin");
    let module = Module::new(std::fs::read(file)?)?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let mut workers = Vec::new();
    for _ in 0..WORKERS {
        let (listener, module) = (listener.try_clone()?, module.clone());
        workers.push(thread::spawn(move || serve(&listener, &module)));
    }

    let image = module.image("sm_90").ok_or("no cubin for sm_90")?;
    let saxpy = image.function("saxpy")?;
    let right: usize = thread::scope(|scope| {
        let clients: Vec<_> = (0..8)
            .map(|client| {
                let saxpy = &saxpy;
                scope.spawn(move || {
                    let offsets = (client * 16..saxpy.size).step_by(128);
                    let is_right = |offset: &u64| {
                        let (status, body) =
                            get(address, &format!("/?function=saxpy&offset={offset:#x}")).ok()?;
                        let expected = image.locate(saxpy, *offset).ok()?.to_string();
                        (status == "HTTP/1.1 200 OK" && body == expected).then_some(())
                    };
                    offsets.filter(|offset| is_right(offset).is_some()).count()
                })
            })
            .collect();
        clients.into_iter().map(|client| client.join().unwrap_or(0)).sum()
    });
    let (refused, why) = get(address, "/?function=nobody&offset=0")?;
    let said = format!("{right} of {} answers are right; {refused}: {why}", saxpy.size.div_ceil(16));

    for _ in 0..WORKERS {
        get(address, "/quit")?;
    }
    for worker in workers {
        worker.join().map_err(|_| "a worker panicked")??;
    }
    Ok(said)
}

fn main() -> Result<()> {
    println!("{}", run()?);
    Ok(())
}

#[test]
fn every_answer_is_right() {
    let refused = "HTTP/1.1 400 Bad Request: no function 'nobody'; the functions are saxpy";
    assert_eq!(run().unwrap(), format!("96 of 96 answers are right; {refused}"));
}
