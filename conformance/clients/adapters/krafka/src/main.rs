// The adapter for krafka: the lines of docs/reference/client-protocol.md.

use std::io::{BufRead, Write};
use std::time::Duration;

use krafka::consumer::{AutoOffsetReset, Consumer, IsolationLevel};
use krafka::Kafka;
use serde_json::{json, Map, Value};
use sha2::{Digest, Sha256};

const VERSION: &str = "0.28.1";
const COMMANDS: [&str; 10] = [
    "open", "assign", "subscribe", "poll", "pause", "resume", "seek", "position", "commit", "close",
];
const OPTIONS: [&str; 9] = [
    "auto.offset.reset", "enable.auto.commit", "fetch.max.bytes", "fetch.max.wait.ms",
    "fetch.min.bytes", "group.id", "isolation.level", "max.partition.fetch.bytes",
    "max.poll.records",
];

type Failure = (String, String);

fn failed(error: krafka::error::KrafkaError) -> Failure {
    let text = format!("{error:?}");
    let name = text.split(|one: char| !one.is_alphanumeric()).next().unwrap_or("Error");
    (name.to_string(), error.to_string())
}

fn unsupported(message: String) -> Failure {
    ("UNSUPPORTED".to_string(), message)
}

fn partition(one: &Value) -> (String, i32) {
    (one[0].as_str().unwrap_or("").to_string(), one[1].as_i64().unwrap_or(0) as i32)
}

fn by_topic(partitions: &Value) -> Vec<(String, Vec<i32>)> {
    let mut found: Vec<(String, Vec<i32>)> = Vec::new();
    for one in partitions.as_array().into_iter().flatten() {
        let (topic, number) = partition(one);
        match found.iter_mut().find(|(known, _)| *known == topic) {
            Some((_, numbers)) => numbers.push(number),
            None => found.push((topic, vec![number])),
        }
    }
    found
}

async fn open(command: &Value) -> Result<Consumer, Failure> {
    let empty = Map::new();
    let options = command["options"].as_object().unwrap_or(&empty);
    let text = |name: &str| options.get(name).and_then(Value::as_str);
    if let Some(strange) = options.keys().find(|name| !OPTIONS.contains(&name.as_str())) {
        return Err(unsupported(format!("no option {strange}")));
    }
    let bootstrap = command["bootstrap"].as_str().unwrap_or("");
    let kafka = Kafka::builder(bootstrap).connect().await.map_err(failed)?;
    let mut builder = match text("group.id") {
        Some(group) => kafka.consumer(group),
        None => kafka.consumer_without_group(),
    };
    builder = builder.enable_auto_commit(false);
    for (name, value) in options {
        let value = value.as_str().unwrap_or("");
        let number = value.parse::<i32>().unwrap_or(0);
        builder = match name.as_str() {
            "auto.offset.reset" if value == "earliest" => {
                builder.auto_offset_reset(AutoOffsetReset::Earliest)
            }
            "isolation.level" if value == "read_committed" => {
                builder.isolation_level(IsolationLevel::ReadCommitted)
            }
            "fetch.max.bytes" => builder.fetch_max_bytes(number),
            "fetch.min.bytes" => builder.fetch_min_bytes(number),
            "fetch.max.wait.ms" => builder.fetch_max_wait(Duration::from_millis(number as u64)),
            "max.partition.fetch.bytes" => builder.max_partition_fetch_bytes(number),
            "max.poll.records" => builder.max_poll_records(number),
            _ => builder,
        };
    }
    builder.build().await.map_err(failed)
}

async fn act(consumer: &Consumer, command: &Value) -> Result<Value, Failure> {
    let act = command["do"].as_str().unwrap_or("");
    match act {
        "assign" => {
            for (topic, numbers) in by_topic(&command["partitions"]) {
                consumer.assign(&topic, numbers).await.map_err(failed)?;
            }
        }
        "subscribe" => {
            let topics = command["topics"].as_array().into_iter().flatten();
            let named: Vec<&str> = topics.filter_map(Value::as_str).collect();
            consumer.subscribe(named).await.map_err(failed)?;
        }
        "poll" => {
            let wait = Duration::from_millis(command["timeout_ms"].as_u64().unwrap_or(0));
            let records = consumer.poll(wait).await.map_err(failed)?;
            let found: Vec<Value> = records
                .iter()
                .map(|one| {
                    let key = one.key.as_ref().map(|key| String::from_utf8_lossy(key).to_string());
                    let value = one.value.as_ref().map(|value| {
                        let digest = Sha256::digest(value);
                        digest[..8].iter().map(|byte| format!("{byte:02x}")).collect::<String>()
                    });
                    json!([one.topic.as_ref(), one.partition, one.offset, key, value])
                })
                .collect();
            return Ok(json!({"records": found}));
        }
        "pause" => {
            for (topic, numbers) in by_topic(&command["partitions"]) {
                consumer.pause(&topic, &numbers).await;
            }
        }
        "resume" => {
            for (topic, numbers) in by_topic(&command["partitions"]) {
                consumer.resume(&topic, &numbers).await;
            }
        }
        "seek" => {
            let (topic, number) = partition(&command["partition"]);
            let offset = command["offset"].as_i64().unwrap_or(0);
            consumer.seek(&topic, number, offset).await.map_err(failed)?;
        }
        "position" => {
            let (topic, number) = partition(&command["partition"]);
            return match consumer.position(&topic, number).await {
                Some(offset) => Ok(json!({"offset": offset})),
                None => Ok(json!({"offset": -1})),
            };
        }
        "commit" => {
            if command["offsets"].as_array().is_some_and(|offsets| !offsets.is_empty()) {
                return Err(unsupported("a commit of given offsets".to_string()));
            }
            consumer.commit().await.map_err(failed)?;
        }
        _ => return Err(unsupported(format!("no command {act}"))),
    }
    Ok(json!({}))
}

fn write(message: Value) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{message}");
    let _ = out.flush();
}

fn main() {
    write(json!({"fencepost_client": 1, "client": "krafka", "version": VERSION,
                 "commands": COMMANDS, "options": OPTIONS}));
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut consumer: Option<Consumer> = None;
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let command: Value = serde_json::from_str(&line).unwrap_or(Value::Null);
        let answer = match command["do"].as_str() {
            Some("open") => runtime.block_on(open(&command)).map(|made| {
                consumer = Some(made);
                json!({})
            }),
            Some("close") => {
                if let Some(closing) = consumer.take() {
                    let _ = runtime.block_on(closing.close());
                }
                Ok(json!({}))
            }
            _ => match &consumer {
                Some(open) => runtime.block_on(act(open, &command)),
                None => Err(("IllegalState".to_string(), "no consumer is open".to_string())),
            },
        };
        write(match answer {
            Ok(ok) => json!({"ok": ok}),
            Err((name, message)) => json!({"error": name, "message": message}),
        });
    }
    runtime.shutdown_background();
}
