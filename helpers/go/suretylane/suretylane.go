// Package suretylane passes the key of a Surety lane on from a request to the calls that a service
// makes for it. Copy this folder into your module; it needs only the standard library. A service
// with OpenTelemetry does not need it: see docs/languages.md.
package suretylane

import (
	"context"
	"net/http"
)

// The key is in the first one; the others keep the calls of one request together.
var names = []string{"baggage", "traceparent", "tracestate", "x-request-id"}

type carriedKey struct{}

// Handler keeps what each request carries in the context of that request.
func Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		carried := map[string][]string{}
		for _, name := range names {
			if values := request.Header.Values(name); len(values) > 0 {
				carried[name] = values
			}
		}
		ctx := context.WithValue(request.Context(), carriedKey{}, carried)
		next.ServeHTTP(response, request.WithContext(ctx))
	})
}

// Transport adds it to calls with that context, as http.NewRequestWithContext(request.Context(), …)
// makes them. A header that the service sets itself stays as it is.
func Transport(next http.RoundTripper) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	return transport{next}
}

type transport struct{ next http.RoundTripper }

func (t transport) RoundTrip(call *http.Request) (*http.Response, error) {
	carried, _ := call.Context().Value(carriedKey{}).(map[string][]string)
	if len(carried) == 0 {
		return t.next.RoundTrip(call)
	}
	// A RoundTripper must not change the request that it is given.
	call = call.Clone(call.Context())
	for name, values := range carried {
		if call.Header.Get(name) == "" {
			for _, value := range values {
				call.Header.Add(name, value)
			}
		}
	}
	return t.next.RoundTrip(call)
}
