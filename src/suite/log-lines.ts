import { messageOf, required, type SuiteEnvironment, SuiteError } from './broken.ts';

/** What a service wrote. */
export interface LogLine {
  readonly service: string;
  readonly text: string;
}

/** Lines of all services that name a request, secrets removed, by whoever runs the suite. */
export async function readLogLines(
  environment: SuiteEnvironment,
  about: string,
): Promise<LogLine[]> {
  const remedy = 'It is there when Surety runs the suite.';
  const address = new URL(required(environment, 'SURETY_LOGS', remedy));
  address.searchParams.set('about', about);
  const response = await fetch(address).catch((error) => {
    throw new SuiteError(`The logs can't be read: ${messageOf(error)}`);
  });
  if (!response.ok) throw new Error(`The logs can't be read: ${await response.text()}`);
  const lines = (await response.text()).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as LogLine);
}
