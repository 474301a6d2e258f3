//! Random changes to a module: of tokens, lines, numbers, words and bytes of sections.

use fastrand::Rng;
use ptx_syntax::tokenize;

use super::module::Line;
use super::words::{edge_number, token, word};

/// Makes up to two changes.
pub fn mutate(random: &mut Rng, lines: &mut Vec<Line>) {
    for _ in 0..[0, 0, 1, 1, 1, 1, 2, 2][random.usize(..8)] {
        match random.u8(..12) {
            0..=3 => tokens(random, lines),
            4 | 5 => replace(random, lines, |text| text.as_bytes()[0].is_ascii_digit(), edge_number),
            6 | 7 => replace(random, lines, is_word, word),
            8 => whole_lines(random, lines),
            _ => data(random, lines),
        }
    }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '.' | '_' | '$' | '%'))
}

/// The index of a line; of code only where nothing else was met.
fn line(random: &mut Rng, lines: &[Line]) -> usize {
    let any = random.usize(..lines.len());
    if lines[any].is_code { random.usize(..lines.len()) } else { any }
}

/// The tokens of a line, blanks among them.
fn split(text: &str) -> Vec<String> {
    tokenize(text).map(|token| token.range.slice(text).to_owned()).collect()
}

/// Indices of tokens for which something holds.
fn indices(tokens: &[String], holds: impl Fn(&str) -> bool) -> Vec<usize> {
    let all = tokens.iter().enumerate();
    all.filter(|(_, token)| !token.trim().is_empty() && holds(token)).map(|(index, _)| index).collect()
}

fn tokens(random: &mut Rng, lines: &mut [Line]) {
    let (at, from) = (line(random, lines), line(random, lines));
    let mut here = split(&lines[at].text);
    let there = split(&lines[from].text);
    let (places, sources) = (indices(&here, |_| true), indices(&there, |_| true));
    if places.is_empty() || sources.is_empty() {
        return;
    }
    let place = places[random.usize(..places.len())];
    let other = places[random.usize(..places.len())];
    let source = there[sources[random.usize(..sources.len())]].clone();
    match random.u8(..7) {
        0 => drop(here.remove(place)),
        1 => here.insert(place, format!("{} ", here[place])),
        2 => here.swap(place, other),
        3 => here[place] = source,
        4 => here.insert(place, format!("{source} ")),
        5 => here[place] = token(random),
        _ => here.insert(place, format!("{} ", token(random))),
    }
    lines[at].text = here.concat();
}

/// Puts something else in the place of a token of one kind.
fn replace(
    random: &mut Rng,
    lines: &mut [Line],
    holds: impl Fn(&str) -> bool,
    new: impl Fn(&mut Rng) -> String,
) {
    for _ in 0..20 {
        let at = line(random, lines);
        let mut tokens = split(&lines[at].text);
        let places = indices(&tokens, &holds);
        if !places.is_empty() {
            tokens[places[random.usize(..places.len())]] = new(random);
            lines[at].text = tokens.concat();
            return;
        }
    }
}

fn whole_lines(random: &mut Rng, lines: &mut Vec<Line>) {
    let (at, other) = (line(random, lines), line(random, lines));
    match random.u8(..4) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(other, lines[at].clone()),
        2 => lines.swap(at, other),
        _ => {
            let moved = lines.remove(at);
            lines.insert(other.min(lines.len()), moved);
        }
    }
    if lines.is_empty() {
        lines.push(Line { text: String::new(), is_code: false });
    }
}

/// Changes the numbers of a data line.
fn data(random: &mut Rng, lines: &mut Vec<Line>) {
    let is_data = |line: &Line| line.text.starts_with(".b") && !line.text.contains(['\n', '+', '-']);
    let all: Vec<usize> = (0..lines.len()).filter(|&index| is_data(&lines[index])).collect();
    if all.is_empty() {
        return;
    }
    let at = all[random.usize(..all.len())];
    let Some((directive, values)) = lines[at].text.split_once(' ') else { return };
    let mut values: Vec<String> = values.split(',').map(|value| value.trim().to_owned()).collect();
    let place = random.usize(..values.len());
    let number: Option<u64> = values[place].parse().ok();
    match (random.u8(..7), number) {
        (0, _) => drop(values.remove(place)),
        (1, _) => values.insert(place, random.u8(..).to_string()),
        (2, Some(number)) => values[place] = (number ^ 1 << random.u8(..8)).to_string(),
        (3, Some(number)) => values[place] = number.wrapping_add(1).to_string(),
        (4, Some(number)) => values[place] = number.saturating_sub(1).to_string(),
        (5, _) => {
            // The section ends here.
            let close = lines
                .iter()
                .skip(at)
                .position(|line| line.text == "}")
                .map_or(lines.len(), |close| at + close);
            lines.drain(at..close);
            return;
        }
        _ => values[place] = random.u8(..).to_string(),
    }
    let text = format!("{directive} {}", values.join(","));
    if values.is_empty() {
        lines.remove(at);
    } else {
        lines[at].text = text;
    }
}
