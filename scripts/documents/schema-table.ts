/** As much of a JSON Schema as a table of keys shows. */
export interface SchemaNode {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
}

/** One row for each key below a node, as `ledger.store` or `services.<name>.port`. */
export function schemaTable(schema: SchemaNode, prefix = ''): string {
  return ['| key | value | default | meaning |', '|---|---|---|---|', ...rows(schema, prefix)].join(
    '\n',
  );
}

function rows(node: SchemaNode, prefix: string): string[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, member]) => {
    const key = `${prefix}${name}`;
    const below = insideOf(member, key);
    if (below) return rows(...below);
    return [`| \`${key}\` | ${kind(member)} | ${fallback(member)} | ${member.description ?? ''} |`];
  });
}

/** The node with further keys that a member is or holds, and how they are reached. */
function insideOf(member: SchemaNode, key: string): [SchemaNode, string] | undefined {
  if (member.properties) return [member, `${key}.`];
  const values = member.additionalProperties;
  if (typeof values === 'object' && values.properties) return [values, `${key}.<name>.`];
  if (typeof values === 'object' && values.items?.properties) {
    return [values.items, `${key}.<name>[].`];
  }
  return member.items?.properties ? [member.items, `${key}[].`] : undefined;
}

function kind({
  enum: choices,
  const: only,
  type,
  items,
  additionalProperties,
  properties,
  anyOf,
}: SchemaNode): string {
  if (anyOf) return anyOf.map(kind).join(' or ');
  if (properties) return `\`{ ${Object.keys(properties).join(', ')} }\``;
  if (choices) return choices.map((choice) => `\`${choice}\``).join(' or ');
  if (only !== undefined) return `\`${String(only)}\``;
  if (type === 'array')
    return `list of ${items?.enum ? kind(items) : `${items?.type ?? 'value'}s`}`;
  if (type === 'object' && typeof additionalProperties === 'object') {
    return `${additionalProperties.type ?? 'value'}s by name`;
  }
  return type ?? '';
}

function fallback({ default: value }: SchemaNode): string {
  if (value === undefined) return '';
  return `\`${typeof value === 'object' ? JSON.stringify(value) : String(value)}\``;
}
