import { senderHeader } from '../../telemetry/index.ts';

/** The service, and where it may report. */
export interface Reporting {
  readonly service: string;
  /** `pricing/baseline/…`, `pricing/lane_…/…` */
  readonly instance: string;
  /** The key of its lane, if it has one. */
  readonly lane: string | undefined;
  readonly telemetryPort: number;
  /** Proves to telemetry which instance reports. */
  readonly credential: string;
}

type Environment = Readonly<Record<string, string>>;

/**
 * The environment variables that make any OpenTelemetry SDK report to us. A service with its own
 * endpoint keeps it, and only gets its name in surety.yaml.
 */
export function otelEnvironment(own: Environment, reporting: Reporting): Record<string, string> {
  return {
    OTEL_RESOURCE_ATTRIBUTES: resourceAttributes(own, reporting),
    ...destination(own, reporting),
  };
}

function destination(
  own: Environment,
  { service, telemetryPort, credential }: Reporting,
): Record<string, string> {
  if (Object.keys(own).some((name) => /^OTEL_EXPORTER_OTLP(?:_\w+)?_ENDPOINT$/.test(name)))
    return {};
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${telemetryPort}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_HEADERS: [own.OTEL_EXPORTER_OTLP_HEADERS, `${senderHeader}=${credential}`]
      .filter(Boolean)
      .join(','),
    ...(own.OTEL_SERVICE_NAME ? {} : { OTEL_SERVICE_NAME: service }),
  };
}

function resourceAttributes(own: Environment, { service, instance, lane }: Reporting): string {
  const before = own.OTEL_RESOURCE_ATTRIBUTES ?? '';
  const ours = {
    'surety.service': service,
    'service.instance.id': instance,
    ...(lane === undefined ? {} : { 'surety.lane': lane }),
  };
  const added = Object.entries(ours)
    .filter(([name]) => !before.split(',').some((one) => one.trim().startsWith(`${name}=`)))
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return [before, ...added].filter((part) => part !== '').join(',');
}
