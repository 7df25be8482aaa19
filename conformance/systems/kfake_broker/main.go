// kfake, franz-go's in-memory Kafka, as one broker that says where it listens.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/twmb/franz-go/pkg/kfake"
)

// Settings are the broker's configs, given as -config NAME=VALUE as often as needed.
type settings map[string]string

func (s settings) String() string { return fmt.Sprint(map[string]string(s)) }

func (s settings) Set(given string) error {
	name, value, found := strings.Cut(given, "=")
	if !found {
		return fmt.Errorf("expected NAME=VALUE, found %q", given)
	}
	s[name] = value
	return nil
}

func main() {
	configs := settings{}
	port := flag.Int("port", 0, "the port to listen on; 0 takes a free one")
	data := flag.String("data", "", "the folder that keeps the data")
	flag.Var(configs, "config", "a broker config NAME=VALUE")
	flag.Parse()
	cluster, err := kfake.NewCluster(
		kfake.Ports(*port),
		kfake.NumBrokers(1),
		kfake.DefaultNumPartitions(1),
		kfake.DataDir(*data),
		kfake.BrokerConfigs(configs),
	)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	fmt.Println("listens on", cluster.ListenAddrs()[0])
	<-stop
	cluster.Close()
}
