// The adapter for franz-go: the lines of docs/reference/client-protocol.md.
package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	module      = "github.com/twmb/franz-go"
	mostRecords = 500 // as of Kafka's Java consumer, where nothing is asked
	closeWithin = 2 * time.Second
)

var errUnsupported = errors.New("unsupported")

var commands = []string{"open", "assign", "subscribe", "poll", "pause", "resume", "seek", "commit", "close"}

var options = []string{"auto.offset.reset", "enable.auto.commit", "fetch.max.bytes", "fetch.max.wait.ms", "fetch.min.bytes",
	"group.id", "isolation.level", "max.partition.fetch.bytes", "max.poll.records"}

// Those of the argument `producer`.
var producerCommands = []string{"open", "produce", "close"}

var producerOptions = []string{"acks", "batch.size", "compression.type", "delivery.timeout.ms", "linger.ms"}

type partition struct {
	topic  string
	number int32
}

type command struct {
	Do         string            `json:"do"`
	Bootstrap  string            `json:"bootstrap"`
	Options    map[string]string `json:"options"`
	Partitions [][]any           `json:"partitions"`
	Partition  []any             `json:"partition"`
	Topics     []string          `json:"topics"`
	Records    [][]any           `json:"records"`
	Offset     int64             `json:"offset"`
	TimeoutMs  int64             `json:"timeout_ms"`
}

type adapter struct {
	client   *kgo.Client
	settings []kgo.Opt
	most     int
	assigned map[partition]bool
	grouped  bool
	writes   bool
	failed   error
}

func main() {
	out := json.NewEncoder(os.Stdout)
	writes := len(os.Args) > 1 && os.Args[1] == "producer"
	greeting := map[string]any{"fencepost_client": 1, "client": "franz-go", "version": version(), "commands": commands, "options": options}
	if writes {
		greeting["client"], greeting["kind"] = "franz-go-producer", "producer"
		greeting["commands"], greeting["options"] = producerCommands, producerOptions
	}
	out.Encode(greeting)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	a := &adapter{writes: writes}
	for lines.Scan() {
		var c command
		ok, err := map[string]any(nil), json.Unmarshal(lines.Bytes(), &c)
		if err == nil {
			ok, err = a.answer(c)
		}
		if err != nil {
			out.Encode(map[string]any{"error": name(err), "message": err.Error()})
		} else {
			out.Encode(map[string]any{"ok": ok})
		}
	}
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, one := range info.Deps {
			if one.Path == module {
				return one.Version
			}
		}
	}
	return "unknown"
}

func name(err error) string {
	var kafka *kerr.Error
	switch {
	case errors.Is(err, errUnsupported):
		return "UNSUPPORTED"
	case errors.As(err, &kafka):
		return kafka.Message
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return fmt.Sprintf("%T", err)
}

func (a *adapter) answer(c command) (map[string]any, error) {
	ok := map[string]any{}
	if a.writes {
		return a.answerProducer(c)
	}
	if a.client == nil && (c.Do == "poll" || c.Do == "pause" || c.Do == "resume" || c.Do == "seek" || c.Do == "commit") {
		return nil, errors.New("nothing is assigned or subscribed to")
	}
	switch c.Do {
	case "open":
		return ok, a.open(c)
	case "assign":
		return ok, a.assign(c)
	case "subscribe":
		return ok, a.start(kgo.ConsumeTopics(c.Topics...))
	case "poll":
		records, err := a.poll(time.Duration(c.TimeoutMs) * time.Millisecond)
		return map[string]any{"records": records}, err
	case "pause":
		a.client.PauseFetchPartitions(byTopic(c.Partitions))
	case "resume":
		a.client.ResumeFetchPartitions(byTopic(c.Partitions))
	case "seek":
		a.seek(read(c.Partition), c.Offset)
	case "commit":
		return ok, a.client.CommitUncommittedOffsets(context.Background())
	case "close":
		a.close()
	default: // it does not say where a consumer without a group reads next
		return nil, fmt.Errorf("%w: no command %s", errUnsupported, c.Do)
	}
	return ok, nil
}

func (a *adapter) open(c command) error {
	*a = adapter{most: mostRecords, assigned: map[partition]bool{}, settings: []kgo.Opt{kgo.SeedBrokers(c.Bootstrap)}}
	for key, value := range c.Options {
		number, _ := strconv.Atoi(value)
		switch key {
		case "max.poll.records":
			a.most = number
		case "fetch.max.bytes":
			a.settings = append(a.settings, kgo.FetchMaxBytes(int32(number)))
		case "max.partition.fetch.bytes":
			a.settings = append(a.settings, kgo.FetchMaxPartitionBytes(int32(number)))
		case "fetch.min.bytes":
			a.settings = append(a.settings, kgo.FetchMinBytes(int32(number)))
		case "fetch.max.wait.ms":
			a.settings = append(a.settings, kgo.FetchMaxWait(time.Duration(number)*time.Millisecond))
		case "group.id":
			a.grouped = true
			a.settings = append(a.settings, kgo.ConsumerGroup(value), kgo.DisableAutoCommit())
		case "enable.auto.commit":
		case "isolation.level":
			if value == "read_committed" {
				a.settings = append(a.settings, kgo.FetchIsolationLevel(kgo.ReadCommitted()))
			}
		case "auto.offset.reset":
			if value == "earliest" {
				a.settings = append(a.settings, kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
			}
		default:
			return fmt.Errorf("%w: no option %s", errUnsupported, key)
		}
	}
	return nil
}

func (a *adapter) answerProducer(c command) (map[string]any, error) {
	switch c.Do {
	case "open":
		return map[string]any{}, a.openProducer(c)
	case "produce":
		return map[string]any{"results": a.produce(c.Records)}, nil
	case "close":
		a.close()
		return map[string]any{}, nil
	}
	return nil, fmt.Errorf("%w: no command %s", errUnsupported, c.Do)
}

func (a *adapter) openProducer(c command) (err error) {
	settings := []kgo.Opt{kgo.SeedBrokers(c.Bootstrap), kgo.RecordPartitioner(kgo.ManualPartitioner())}
	for key, value := range c.Options {
		number, _ := strconv.Atoi(value)
		switch key {
		case "batch.size":
			settings = append(settings, kgo.ProducerBatchMaxBytes(int32(number)))
		case "linger.ms":
			settings = append(settings, kgo.ProducerLinger(time.Duration(number)*time.Millisecond))
		case "delivery.timeout.ms":
			settings = append(settings, kgo.RecordDeliveryTimeout(time.Duration(number)*time.Millisecond))
		case "compression.type", "acks":
			if value != "none" && value != "all" {
				return fmt.Errorf("%w: no %s %s", errUnsupported, key, value)
			}
			settings = append(settings, kgo.ProducerBatchCompression(kgo.NoCompression()))
		default:
			return fmt.Errorf("%w: no option %s", errUnsupported, key)
		}
	}
	a.client, err = kgo.NewClient(settings...)
	return err
}

func (a *adapter) produce(records [][]any) []any {
	results := make([]any, len(records))
	for place, one := range records {
		record := &kgo.Record{Topic: one[0].(string), Partition: int32(one[1].(float64)), Value: []byte(one[2].(string))}
		a.client.Produce(context.Background(), record, func(written *kgo.Record, err error) {
			if err != nil {
				results[place] = name(err)
			} else {
				results[place] = written.Offset
			}
		})
	}
	a.client.Flush(context.Background())
	return results
}

func (a *adapter) start(more ...kgo.Opt) (err error) {
	a.client, err = kgo.NewClient(append(a.settings, more...)...)
	return err
}

// Offsets can be set of partitions that are fetched already; those that are assigned are given up and
// taken again, which holds from the first moment on.
func (a *adapter) seek(one partition, offset int64) {
	if a.grouped {
		a.client.SetOffsets(map[string]map[int32]kgo.EpochOffset{one.topic: {one.number: {Epoch: -1, Offset: offset}}})
		return
	}
	a.client.RemoveConsumePartitions(map[string][]int32{one.topic: {one.number}})
	a.client.AddConsumePartitions(map[string]map[int32]kgo.Offset{one.topic: {one.number: kgo.NewOffset().At(offset)}})
}

func (a *adapter) assign(c command) error {
	if a.grouped {
		return fmt.Errorf("%w: no assignment beside a group", errUnsupported)
	}
	wanted := map[partition]bool{}
	added := map[string]map[int32]kgo.Offset{}
	for _, one := range c.Partitions {
		p := read(one)
		wanted[p] = true
		if !a.assigned[p] {
			if added[p.topic] == nil {
				added[p.topic] = map[int32]kgo.Offset{}
			}
			added[p.topic][p.number] = kgo.NewOffset().AtStart()
		}
	}
	removed := map[string][]int32{}
	for p := range a.assigned {
		if !wanted[p] {
			removed[p.topic] = append(removed[p.topic], p.number)
		}
	}
	a.assigned = wanted
	if a.client == nil {
		return a.start(kgo.ConsumePartitions(added))
	}
	a.client.RemoveConsumePartitions(removed)
	a.client.AddConsumePartitions(added)
	return nil
}

func (a *adapter) poll(timeout time.Duration) ([][]any, error) {
	records := [][]any{}
	if a.failed != nil {
		failed := a.failed
		a.failed = nil
		return records, failed
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	fetches := a.client.PollRecords(ctx, a.most)
	fetches.EachRecord(func(one *kgo.Record) {
		var key, value any
		if one.Key != nil {
			key = string(one.Key)
		}
		if one.Value != nil {
			digest := sha256.Sum256(one.Value)
			value = hex.EncodeToString(digest[:])[:16]
		}
		records = append(records, []any{one.Topic, one.Partition, one.Offset, key, value})
	})
	for _, one := range fetches.Errors() {
		if !errors.Is(one.Err, context.DeadlineExceeded) {
			a.failed = fmt.Errorf("%s-%d: %w", one.Topic, one.Partition, one.Err)
		}
	}
	if len(records) == 0 && a.failed != nil {
		failed := a.failed
		a.failed = nil
		return records, failed
	}
	return records, nil
}

func (a *adapter) close() {
	if a.client == nil {
		return
	}
	done := make(chan struct{})
	go func(client *kgo.Client) { client.CloseAllowingRebalance(); close(done) }(a.client)
	select {
	case <-done:
	case <-time.After(closeWithin):
	}
	a.client = nil
}

func read(one []any) partition {
	return partition{one[0].(string), int32(one[1].(float64))}
}

func byTopic(partitions [][]any) map[string][]int32 {
	found := map[string][]int32{}
	for _, one := range partitions {
		p := read(one)
		found[p.topic] = append(found[p.topic], p.number)
	}
	return found
}
