import { telemetryLimits } from '../limits.ts';
import type { Origin } from '../rows.ts';
import { AttributeText, cut } from './attribute-text.ts';
import type { ResourceDraft } from './drafts.ts';

/** The sender of a part of a message, and the resource attributes that each of its rows gets. */
export interface MessageSender extends Origin {
  /** Members of a JSON object, without braces. */
  readonly members: string;
}

/**
 * Only these resource attributes are stored in every row; the others describe machines and SDKs.
 */
const keptKeys: ReadonlySet<string> = new Set([
  'service.version',
  'service.namespace',
  'deployment.environment',
  'deployment.environment.name',
  'k8s.pod.name',
  'k8s.namespace.name',
  'container.id',
]);

const text = new AttributeText();

export function senderOf({ keys, values }: ResourceDraft): MessageSender {
  const attributes = new Map(keys.map((key, index) => [key, values[index]]));
  const textOf = (key: string): string => {
    const value = attributes.get(key);
    return typeof value === 'string' ? cut(value, telemetryLimits.telemetryNameCharsMax) : '';
  };
  for (const key of keptKeys) {
    const value = attributes.get(key);
    if (value !== undefined) text.add(key, value);
  }
  const members = text.finish().slice(1, -1);
  const instance = textOf('service.instance.id');
  // A service that Surety started has its name in surety.yaml, whatever its SDK is configured to.
  const service = textOf('surety.service') || known(textOf('service.name'));
  return { service, instance, lane: textOf('surety.lane'), members };
}

/** Empty for the default names of SDKs without a configured name. */
function known(service: string): string {
  return service.startsWith('unknown_service') ? '' : service;
}
