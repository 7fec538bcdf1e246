/**
 * A coding agent as a program: it knows what it wants to change, and learns from the answers of
 * its tools how to get there. `SURETY_MCP` is the command line of the MCP server, as a JSON array;
 * the working directory is the system that is to be changed.
 */
import { createJournal } from './journal.ts';
import { createRepository } from './repository.ts';
import { connectToolbox } from './toolbox.ts';
import { work } from './work.ts';

const journal = createJournal(process.argv.includes('--json'));
try {
  const toolbox = await connectToolbox(serverCommand());
  try {
    const { reached, why } = await work(toolbox, createRepository(process.cwd()), journal);
    journal.end(reached, why);
    process.exitCode = reached ? 0 : 1;
  } finally {
    await toolbox.close();
  }
} catch (error) {
  journal.end(false, (error as Error).message);
  process.exitCode = 2;
}

function serverCommand(): string[] {
  const given = process.env.SURETY_MCP;
  if (!given) throw new Error('Set SURETY_MCP, e.g. ["surety","mcp","--agent","coder"].');
  const words = JSON.parse(given) as unknown;
  if (Array.isArray(words) && words.length > 0) return words.map(String);
  throw new Error('SURETY_MCP must be a JSON array: the program and its arguments.');
}
