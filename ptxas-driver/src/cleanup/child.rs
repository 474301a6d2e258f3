//! Child processes. They end when this program does.
//!
//! Each is the head of a process group of its own, so that its own children can be ended with it.
//! On Linux it also ends when we are killed: the kernel does that for a process that asks for it
//! before it becomes another program. `std` could ask between fork and exec by unsafe code only.
//! Therefore we start ourselves under the name [`LAUNCHER`], ask, and become that program.

use super::lock;
use crate::limits::{MAX_CHILD_LINE, MAX_CHILD_OUTPUT};
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::thread;

/// The name (`argv[0]`) under which this program acts as the launcher of another program.
pub const LAUNCHER: &str = "nvdwarf-launcher";

/// What the launcher writes before the number of the system's error, where it cannot become the
/// program.
const CANNOT: &str = "nvdwarf-launcher: error ";

/// Exit code of the launcher then, as a shell has it.
const NOT_STARTED: u8 = 127;

/// Whether the launcher is ours to start: what a test runs is another program.
const HAS_LAUNCHER: bool = cfg!(all(target_os = "linux", not(test)));

/// The image of the running program, also where its file was replaced.
const OURSELVES: &str = "/proc/self/exe";

/// A process group.
#[cfg(unix)]
pub(super) type Group = rustix::process::Pid;
/// There are none here.
#[cfg(not(unix))]
pub(super) type Group = u32;

/// Returns a command that runs a program, whose process ends when this program ends.
pub fn command(program: &OsStr) -> Command {
    let launches = HAS_LAUNCHER && std::path::Path::new(OURSELVES).exists();
    if !launches {
        return Command::new(program);
    }
    let mut command = Command::new(OURSELVES);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::arg0(&mut command, LAUNCHER);
    command.arg(std::process::id().to_string()).arg(program);
    command
}

/// Replaces this process by another program, which the system kernel ends when the parent of this
/// process ends. `args` are the parent's process number and the program's command line.
pub fn launch(args: &[OsString]) -> ExitCode {
    #[cfg(target_os = "linux")]
    if let [starter, program, args @ ..] = args {
        use rustix::process::{Signal, getppid, set_parent_process_death_signal};
        let starter = starter.to_str().and_then(|starter| starter.parse().ok());
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        // It may have ended before it was asked for.
        if getppid().map(|parent| parent.as_raw_nonzero().get()) != starter {
            return ExitCode::from(NOT_STARTED);
        }
        let error = std::os::unix::process::CommandExt::exec(Command::new(program).args(args));
        let number = error.raw_os_error().unwrap_or_default();
        let _ = io::Write::write_all(&mut io::stderr(), format!("{CANNOT}{number}\n").as_bytes());
    }
    ExitCode::from(NOT_STARTED)
}

/// A program that was started.
#[derive(Debug)]
struct Running {
    child: Child,
    #[cfg(unix)]
    group: Group,
    is_waited_for: bool,
}

impl Running {
    /// Starts a program. `shares_terminal`: it may read the terminal, which only programs of our
    /// own group can; a signal of the terminal reaches these too.
    fn start(command: &mut Command, shares_terminal: bool) -> io::Result<Self> {
        #[cfg(unix)]
        if !shares_terminal {
            std::os::unix::process::CommandExt::process_group(command, 0);
        }
        let mut registry = lock();
        let child = command.spawn()?;
        #[cfg(unix)]
        let group = rustix::process::Pid::from_child(&child);
        #[cfg(unix)]
        registry.programs.push(group);
        drop(registry);
        Ok(Self {
            child,
            #[cfg(unix)]
            group,
            is_waited_for: false,
        })
    }

    /// Waits for its end.
    fn wait(mut self) -> io::Result<ExitStatus> {
        self.is_waited_for = true;
        #[cfg(unix)]
        {
            use rustix::process::{WaitId, WaitIdOptions, waitid};
            // Its number is its own until it is waited for without this option, and the registry
            // holds no number that might be another's.
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(self.group), options) {}
        }
        let mut registry = lock();
        #[cfg(unix)]
        registry.programs.retain(|program| *program != self.group);
        let status = self.child.wait();
        drop(registry);
        status
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.is_waited_for {
            let mut registry = lock();
            #[cfg(unix)]
            {
                end_all(&[self.group]);
                registry.programs.retain(|program| *program != self.group);
            }
            #[cfg(not(unix))]
            let _ = self.child.kill();
            let _ = self.child.try_wait();
            drop(registry);
        }
    }
}

/// Time that a program has to end by itself.
#[cfg(unix)]
const GRACE: std::time::Duration = std::time::Duration::from_millis(500);

/// Ends programs and their children.
#[cfg(unix)]
pub(super) fn end_all(groups: &[Group]) {
    use rustix::process::{Signal, WaitOptions, kill_process, kill_process_group, waitpid};
    let signal_all = |signal| {
        for group in groups {
            // A program that does not lead a process group is in ours.
            let _ = kill_process_group(*group, signal).or_else(|_| kill_process(*group, signal));
        }
    };
    let mut running = groups.to_vec();
    let mut wait_for_all = || {
        let started = std::time::Instant::now();
        loop {
            running.retain(|group| matches!(waitpid(Some(*group), WaitOptions::NOHANG), Ok(None)));
            if running.is_empty() || started.elapsed() > GRACE {
                break;
            }
            thread::sleep(std::time::Duration::from_millis(1));
        }
    };
    signal_all(Signal::TERM);
    wait_for_all();
    // Also the children of those that have ended.
    signal_all(Signal::KILL);
    wait_for_all();
}

/// Runs a program to its end. `tell` is called with each line of the program's standard error, and
/// its end; a very long line comes in pieces. The program shares the standard output of this one.
///
/// # Errors
///
/// It cannot be started, or not be read.
pub fn run(
    command: &mut Command,
    shares_terminal: bool,
    tell: &mut dyn FnMut(&[u8]),
) -> io::Result<ExitStatus> {
    let mut running = Running::start(command.stderr(Stdio::piped()), shares_terminal)?;
    read_lines(running.child.stderr.take(), tell)?;
    running.wait()
}

/// The exit status of a program that was run, and the first part of its output.
#[derive(Debug)]
pub struct Captured {
    /// The exit code of the program, or the signal that ended it.
    pub status: ExitStatus,
    /// The first part of what the program wrote to standard output.
    pub stdout: Vec<u8>,
    /// The first part of what the program wrote to standard error.
    pub stderr: Vec<u8>,
}

/// Runs a program to its end, and keeps up to 1 MiB of each of its outputs.
///
/// # Errors
///
/// It cannot be started, or not be read.
pub fn capture(command: &mut Command) -> io::Result<Captured> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = Running::start(command, false)?;
    let (stdout, stderr) = (running.child.stdout.take(), running.child.stderr.take());
    let mut kept = Vec::new();
    let (stdout, lines) = thread::scope(|scope| {
        let stdout = scope.spawn(|| stdout.map(read_start));
        let lines = read_lines(stderr, &mut |line| {
            if (kept.len() as u64) < MAX_CHILD_OUTPUT {
                kept.extend_from_slice(line);
            }
        });
        (stdout.join().unwrap_or_default().unwrap_or_default(), lines)
    });
    lines?;
    Ok(Captured { status: running.wait()?, stdout, stderr: kept })
}

/// The first part of a stream, which is read to its end.
fn read_start(mut stream: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A program whose output cannot be read has none.
    let _ = stream.by_ref().take(MAX_CHILD_OUTPUT).read_to_end(&mut bytes);
    let _ = io::copy(&mut stream, &mut io::sink());
    bytes
}

/// Reads standard error of a program that may be the launcher still.
fn read_lines(stream: Option<impl Read>, tell: &mut dyn FnMut(&[u8])) -> io::Result<()> {
    let Some(stream) = stream else { return Ok(()) };
    let mut stream = BufReader::new(stream);
    let mut line = Vec::new();
    while stream.by_ref().take(MAX_CHILD_LINE).read_until(b'\n', &mut line)? != 0 {
        let number = line.strip_prefix(CANNOT.as_bytes()).map(<[u8]>::trim_ascii_end);
        if let Some(number) = number.and_then(|number| std::str::from_utf8(number).ok()?.parse().ok()) {
            return Err(io::Error::from_raw_os_error(number));
        }
        tell(&line);
        line.clear();
    }
    Ok(())
}

/// Whether standard input is a terminal, so that a person can answer.
pub fn has_terminal() -> bool {
    io::IsTerminal::is_terminal(&io::stdin())
}
