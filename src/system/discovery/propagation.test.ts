import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../config.ts';
import { droppingLanguage } from './propagation.ts';

/** The language of a service that probably drops keys, by its settings and its files. */
function languageIn(settings: string, files: Readonly<Record<string, string>>): string | null {
  const root = mkdtempSync(join(tmpdir(), 'propagation-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const services = `services:
  rates: { port: 4301, directory: rates, dependsOn: [store], tagging: baggage, ${settings} }
  store: { command: node store.mjs, port: 4302 }
`;
  const config = parseConfig(services, { path: 'surety.yaml', environment: {} });
  return config.services.rates ? droppingLanguage(root, config.services.rates) : null;
}

test.each([
  ['go', 'command: ./rates', { 'rates/go.mod': 'module rates' }],
  ['python', 'command: python3 main.py', { 'rates/requirements.txt': 'flask' }],
  ['java', 'command: java -jar rates.jar', { 'rates/pom.xml': '<project/>' }],
  ['dotnet', 'command: dotnet Rates.dll', { 'rates/Rates.csproj': '<Project/>' }],
])(
  'a service in %s without helper and OpenTelemetry may drop keys',
  (language, settings, files) => {
    expect(languageIn(settings, files)).toBe(language);
  },
);

test.each<[string, string, Readonly<Record<string, string>>]>([
  ['otelhttp in go.mod', 'command: ./rates', { 'rates/go.mod': 'go.opentelemetry.io/contrib/…' }],
  ['the helper for Go', 'command: ./rates', { 'rates/suretylane/suretylane.go': '' }],
  ['opentelemetry-instrument', 'command: opentelemetry-instrument python3 main.py', {}],
  ['the helper for Python', 'command: python3 main.py', { 'rates/surety_lane.py': '' }],
  [
    'the OpenTelemetry agent',
    'command: java -jar a.jar, environment: { JAVA_TOOL_OPTIONS: "-javaagent:/opt/opentelemetry.jar" }',
    {},
  ],
  [
    'the helper for Java',
    'command: java -jar rates.jar',
    { 'rates/src/main/java/com/example/rates/SuretyLane.java': '' },
  ],
  ['the helper for .NET', 'command: dotnet Rates.dll', { 'rates/SuretyLane.cs': '' }],
])('a service passes keys on by %s', (_, settings, files) => {
  expect(languageIn(settings, files)).toBeNull();
});
