import java.net.http.HttpRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;

/**
 * Passes the key of a Surety lane on from a request to the calls that a service makes for it. Copy
 * this file into your service and give it your package; it needs only the JDK, 11 or newer. A
 * service that runs with the OpenTelemetry agent does not need it: see docs/languages.md.
 */
public final class SuretyLane {
  /** The key is in the first one; the others keep the calls of one request together. */
  private static final List<String> NAMES =
      List.of("baggage", "traceparent", "tracestate", "x-request-id");

  private static final ThreadLocal<Map<String, String>> CARRIED =
      ThreadLocal.withInitial(Map::of);

  private SuretyLane() {}

  /** Serves one request; {@code header} returns a header of it, or null. */
  public static <T> T serve(UnaryOperator<String> header, Callable<T> work) throws Exception {
    Map<String, String> carried = new LinkedHashMap<>();
    for (String name : NAMES) {
      String value = header.apply(name);
      if (value != null && !value.isEmpty()) carried.put(name, value);
    }
    return within(Map.copyOf(carried), work);
  }

  /** The headers for a call that is made for the current request; empty outside of requests. */
  public static Map<String, String> headers() {
    return CARRIED.get();
  }

  /** Adds them to a call by {@code java.net.http}. */
  public static HttpRequest.Builder copyTo(HttpRequest.Builder call) {
    headers().forEach(call::setHeader);
    return call;
  }

  /** Work for the current request that another thread does, as in an executor. */
  public static <T> Callable<T> wrap(Callable<T> work) {
    Map<String, String> carried = headers();
    return () -> within(carried, work);
  }

  /** A thread of a pool must not keep the key for its next request. */
  private static <T> T within(Map<String, String> carried, Callable<T> work) throws Exception {
    Map<String, String> before = CARRIED.get();
    CARRIED.set(carried);
    try {
      return work.call();
    } finally {
      CARRIED.set(before);
    }
  }
}
