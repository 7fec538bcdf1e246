import { Line } from '../line.ts';
import { argumentsOf, type ToolName } from './tools.ts';

const revision = '2026-07-28';
const meta = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, roots: {} },
};

/** Whom to call, and with what. */
export interface Target {
  readonly name: string;
  readonly port: number;
  /** The process that answers there. */
  readonly pid: number;
  readonly tool: ToolName;
  readonly token: string;
}

let orders = 0;

/** Calls, each for another order, as the SDK's client would send them; checks every answer. */
export class Caller {
  readonly #target: Target;
  readonly #line: Line;

  private constructor(target: Target, line: Line) {
    this.#target = target;
    this.#line = line;
  }

  static async open(target: Target): Promise<Caller> {
    return new Caller(target, await Line.open(target.port));
  }

  async call(): Promise<void> {
    const { tool, name } = this.#target;
    const index = orders++;
    const body = await this.#line.send(requestFor(this.#target, index));
    const isRight = body.includes(`"text":"${tool} ord_${index}"`) && !body.includes('"isError"');
    if (!isRight) throw new Error(`${name} answered ${body.slice(0, 500)}`);
  }

  close(): void {
    this.#line.close();
  }
}

function requestFor({ tool, port, token }: Target, index: number): string {
  const params = { name: tool, arguments: argumentsOf(tool, index), _meta: meta };
  const body = JSON.stringify({ method: 'tools/call', params, jsonrpc: '2.0', id: index });
  return [
    'POST /mcp HTTP/1.1',
    `host: 127.0.0.1:${port}`,
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    'accept: application/json, text/event-stream',
    `mcp-protocol-version: ${revision}`,
    'mcp-method: tools/call',
    `mcp-name: ${tool}`,
    `content-length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}
