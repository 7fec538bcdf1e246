import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { commands } from '../src/cli/commands.ts';
import { findCalledCommand } from '../src/cli/program.ts';
import { operations } from '../src/http/index.ts';
import { faults, isFault } from '../src/kernel/index.ts';
import { tools } from '../src/mcp/tools/index.ts';
import { configSchema } from '../src/system/index.ts';
import { type KnownNames, namesIn, remediesNameWhatExists } from './rules/remedy-rules.ts';
import { readSourceFiles } from './rules/source-files.ts';

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly allOf?: readonly SchemaNode[];
}

const schema = z.toJSONSchema(configSchema, { io: 'input' }) as SchemaNode;

function hasKey(node: SchemaNode, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return true;
  const variants = [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])];
  if (variants.some((variant) => hasKey(variant, [key, ...rest]))) return true;
  const more = node.additionalProperties;
  const child = node.properties?.[key] ?? (typeof more === 'object' ? more : node.items);
  return child !== undefined && hasKey(child, rest);
}

const files = readSourceFiles();
const product = files.filter(({ path }) => path.startsWith('src/') && !path.includes('.test.'));
const flagNames = commands.flatMap(({ options = [] }) => options.map(([flags]) => flags));

/** Of Node and git, which some remedies name. */
const foreignFlags = [
  '--inspect-port',
  '--permission',
  '--allow-worker',
  '--disable-sigusr1',
  '--all',
];

const known: KnownNames = {
  commands,
  flags: new Set(
    ['--json', '--directory', ...foreignFlags, ...flagNames].flatMap(
      (flags) => flags.match(/--[a-z-]+/g) ?? [],
    ),
  ),
  hasKey: (key) => hasKey(schema, key.split('.')),
  topKeys: Object.keys(schema.properties ?? {}),
  tools: new Set(Object.keys(tools)),
  paths: new Set([
    '/v1/openapi.json',
    ...Object.keys(operations).map((name) => name.split(' ')[1] ?? ''),
  ]),
  hasVariable: (name) =>
    product.some(({ path, text }) => path !== 'src/kernel/faults.ts' && text.includes(name)),
  complaintAbout,
};

async function complaintAbout(words: readonly string[]): Promise<string | undefined> {
  if (words.includes('--help')) return undefined;
  try {
    await findCalledCommand(words);
    return undefined;
  } catch (error) {
    if (!isFault(error)) throw error;
    return /missing required argument|argument missing/.test(error.message)
      ? undefined
      : error.message;
  }
}

// proves: kernel.remedy-names
describe('remedies', () => {
  test('name only commands, flags, keys, tools and addresses that exist', async () => {
    expect(await remediesNameWhatExists(faults, known)).toEqual([]);
  });

  test('of each kind are found by this test, so that none is passed over', () => {
    const all = Object.values(faults).map(({ remedy }) => namesIn(remedy, known));
    const kinds = ['commands', 'flags', 'keys', 'tools', 'paths', 'variables'] as const;
    for (const kind of kinds) expect(all.flatMap((names) => [...names[kind]])).not.toEqual([]);
    expect(all.flatMap((names) => names.commands).length).toBeGreaterThan(60);
  });

  test.each([
    ['Start it: surety start'],
    ['Run: surety up --fast'],
    ['Look at it: surety lane view {lane}'],
    ['Open the lane with --own.'],
    ['Raise lanes.minutesMax in surety.yaml.'],
    ['Raise the limit under lane in surety.yaml.'],
    ['Call the tool open_lanes.'],
    ['Compare it with /v1/openapi.yaml.'],
    ['Set SURETY_ROUTER_DOOR.'],
  ])('are refused if they say: %s', async (remedy) => {
    const complaints = await remediesNameWhatExists({ CODE: { message: '', remedy } }, known);
    expect(complaints).toHaveLength(1);
  });
});
