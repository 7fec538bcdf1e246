import { recipeFor, type ServiceLanguage } from '../../system/index.ts';

export interface LossPlace {
  readonly service: string | null;
  readonly to: string;
  readonly language: ServiceLanguage;
  /** Whether the preload runs in it. */
  readonly isPreloaded: boolean;
  /** Whether one call went without the key that the service could have given it. */
  readonly isCall: boolean;
}

/** How programs of each language pass `baggage` on from a request to the calls made for it. */
const propagation: Readonly<Record<ServiceLanguage, string>> = {
  node: 'set `tagging: preload` for it in surety.yaml, which passes the key on without a change of its code',
  go:
    'call with the context of the request (http.NewRequestWithContext(r.Context(), …)), never with an empty one such as context.Background(), ' +
    'send by otelhttp.NewTransport or otelgrpc, and set propagation.Baggage{} beside propagation.TraceContext{} in otel.SetTextMapPropagator',
  python:
    'start it with opentelemetry-instrument and OTEL_PROPAGATORS=tracecontext,baggage; in own threads run the work in ' +
    'contextvars.copy_context()',
  java:
    'start it with -javaagent:opentelemetry-javaagent.jar and OTEL_PROPAGATORS=tracecontext,baggage; in own threads wrap the work ' +
    'with Context.current().wrap(…)',
  dotnet:
    'call Sdk.SetDefaultTextMapPropagator with a CompositeTextMapPropagator of TraceContextPropagator and BaggagePropagator, ' +
    'add AddHttpClientInstrumentation(), and send by HttpClient within the request',
  other:
    'copy the header baggage of the request to each call that is made for it, as OpenTelemetry does with the propagators tracecontext and baggage',
};

/** What to change so that the key is not lost there again. */
export function formatFix({ service, to, language, isPreloaded, isCall }: LossPlace): string {
  const own = service === null ? '' : `set \`callers: own\` for ${service} in surety.yaml`;
  const helper = recipeFor(language)?.helper;
  const copied = helper ? `without OpenTelemetry, copy ${helper} of Surety's package into it` : '';
  if (!isPreloaded) return [propagation[language], copied, own].filter(Boolean).join('; or ');
  const known =
    'call by http, https, fetch, undici 6 or @grpc/grpc-js, within the async context of the request';
  return [isCall ? `${known}, in the call of ${to}` : '', own].filter(Boolean).join('; or ');
}
