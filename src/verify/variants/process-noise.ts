import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type Json, sharedLimits } from '../../kernel/index.ts';
import type { Hop } from '../../lanes/index.ts';
import type { Config, ServiceConfig } from '../../system/index.ts';
import { ComparedRounds } from '../compare/compared-rounds.ts';
import { verifyLimits } from '../limits.ts';
import type { Round, RoundSide } from '../observe/round.ts';
import { readAnswer } from '../traffic/answer-json.ts';
import { isVariantHop } from './send-variants.ts';
import { kindOf, type Suspect } from './suspects.ts';
import type { Variant } from './variant.ts';

/**
 * Variants that two processes of the same code answer differently. Of a request that nobody asked
 * before it is unknown whether its answer holds a process id or the time of a start, which each
 * process has and keeps. The baseline is such a process: where it differs from the control as the
 * candidate does, or answers with another status so that values say nothing, nothing is proven.
 */
export async function processNoise(
  suspects: readonly Suspect[],
  { control }: Pick<Round, 'control'>,
  { services }: Pick<Config, 'services'>,
): Promise<ReadonlySet<Variant>> {
  const noisy = new Set<Variant>();
  const wanted = Map.groupBy(suspects, ({ variant }) => variant);
  const roots = control.hops.filter(isVariantHop).filter((hop) => wanted.has(hop.sentAs));
  for (const { sentAs, variant, ...hop } of roots) {
    const service = services[hop.to];
    const isNew = sentAs.isUnasked && variant === sentAs.what && hop.method === 'GET';
    if (!isNew || !service) continue;
    const own = wanted.get(sentAs) ?? [];
    const answer = await askBaseline(sentAs, hop.path, service);
    const kinds = answer?.status === hop.status ? await kindsOf(hop, answer.body) : null;
    const isNoise = (one: Suspect): boolean => (kinds ? kinds.has(one.kind) : one.isValue);
    if (own.some(isNoise)) noisy.add(sentAs);
  }
  return noisy;
}

/** What differs between the answers of the control and of the baseline. */
async function kindsOf(hop: Hop, body: Json): Promise<ReadonlySet<string>> {
  const compared = new ComparedRounds([hop.to]);
  // A large body is not kept of a hop.
  const responseBody = hop.responseBody === null ? null : body;
  await compared.add({ control: sideOf({ ...hop, responseBody }), candidate: sideOf(hop) });
  return new Set(
    compared
      .differences()
      .flat()
      .map((one) => kindOf(one, one.hop)),
  );
}

function sideOf(hop: Hop): RoundSide {
  return { runs: [], hops: [hop], logs: [], lastHop: 0 };
}

interface BaselineAnswer {
  readonly status: number;
  readonly body: Json;
}

/** Null without an answer. Only reads: whatever runs there is what people use. */
async function askBaseline(
  { requests }: Variant,
  path: string,
  { host = '127.0.0.1', port, protocol }: ServiceConfig,
): Promise<BaselineAnswer | null> {
  const given = requests.at(-1)?.headers.filter(([name]) => !name.startsWith('x-surety-')) ?? [];
  const send = protocol === 'https' ? requestHttps : requestHttp;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const call = send({
    host,
    port,
    path,
    headers: Object.fromEntries(given),
    // It is a service of the system, and only its answer is of interest.
    rejectUnauthorized: false,
    signal: AbortSignal.timeout(verifyLimits.replayMsMax),
  });
  call.on('response', resolve).on('error', reject).end();
  try {
    const answer = await promise;
    const body = readAnswer(await bytesOf(answer), answer.headers['content-encoding']);
    return { status: answer.statusCode ?? 0, body };
  } catch {
    return null;
  }
}

async function bytesOf(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > sharedLimits.takenBodyBytesMax) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
