import {
  acceptedContent,
  createRequestStateCodec,
  type InputRequest,
  inputRequired,
  type McpServer,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { capabilitiesOf, said } from './samples.ts';

const none = { description: 'For the suite.', inputSchema: z.object({}) };
const named = z.object({ name: z.string() });
const sure = z.object({ ok: z.boolean() });

export const states: RequestStateCodec<{ step: string }> = createRequestStateCodec({
  key: new Uint8Array(32).fill(7),
});

const elicit = (message: string, requestedSchema: z.ZodObject): InputRequest =>
  inputRequired.elicit({ message, requestedSchema });

const sample = (prompt: string, maxTokens = 100): InputRequest =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
    maxTokens,
  });

const answerTo = ({ mcpReq }: ServerContext, key: string): unknown => mcpReq.inputResponses?.[key];

const ask = (inputRequests: Record<string, InputRequest>, requestState?: string) =>
  inputRequired({ inputRequests, ...(requestState === undefined ? {} : { requestState }) });

/** Tools that need something of their client before they can answer. */
export function registerAskingTools(server: McpServer): void {
  registerSingle(server);
  registerStateful(server);
  server.registerTool('test_input_required_result_capabilities', none, (_, context) => {
    const { elicitation, sampling } = capabilitiesOf(context);
    if (answerTo(context, 'user_name') ?? answerTo(context, 'greeting')) return said('answered');
    return ask({
      ...(elicitation ? { user_name: elicit('What is your name?', named) } : {}),
      ...(sampling ? { greeting: sample('Generate a greeting', 50) } : {}),
    });
  });
}

function registerSingle(server: McpServer): void {
  const register = (name: string, key: string, question: () => InputRequest): void => {
    server.registerTool(name, none, (_, context) => {
      const answer = answerTo(context, key);
      return answer === undefined ? ask({ [key]: question() }) : said(JSON.stringify(answer));
    });
  };
  const askName = (): InputRequest => elicit('What is your name?', named);
  server.registerTool('test_input_required_result_elicitation', none, (_, { mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, 'user_name', named);
    return answer ? said(`Hello, ${answer.name}!`) : ask({ user_name: askName() });
  });
  // The SDK refuses to ask what a client has not said that it can answer.
  register('test_missing_capability', 'sampled', () => sample('Anything'));
  register('test_streaming_elicitation', 'user_name', askName);
  register('test_input_required_result_sampling', 'capital_question', () =>
    sample('What is the capital of France?'),
  );
  register('test_input_required_result_list_roots', 'client_roots', () =>
    inputRequired.listRoots(),
  );
}

function registerStateful(server: McpServer): void {
  const register = (
    name: string,
    rounds: readonly (() => Record<string, InputRequest>)[],
    last: string,
  ): void => {
    server.registerTool(name, none, async (_, { mcpReq }) => {
      const { step = '0' } = mcpReq.requestState<{ step: string }>() ?? {};
      const round = rounds[Number(step)];
      if (!round) return said(last);
      const next = Number(step) + 1;
      return ask(round(), await states.mint({ step: String(next) }));
    });
  };
  const confirm = () => ({ confirm: elicit('Please confirm', sure) });
  register('test_input_required_result_request_state', [confirm], 'state-ok');
  register('test_input_required_result_tampered_state', [confirm], 'state-ok');
  const color = z.object({ color: z.string() });
  const rounds = [
    () => ({ step1: elicit('Step 1: What is your name?', named) }),
    () => ({ step2: elicit('Step 2: What is your favorite color?', color) }),
  ];
  register('test_input_required_result_multi_round', rounds, 'both steps taken');
  const all = () => ({
    user_name: elicit('What is your name?', named),
    greeting: sample('Generate a greeting', 50),
    client_roots: inputRequired.listRoots(),
  });
  register('test_input_required_result_multiple_inputs', [all], 'all answered');
}
