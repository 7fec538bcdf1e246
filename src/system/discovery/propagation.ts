import { join } from 'node:path';
import type { ServiceConfig } from '../complete.ts';
import type { ServiceLanguage } from './found.ts';
import { Repository } from './repository.ts';
import { languageOf } from './service-language.ts';

/** How a program of a language passes the key of a lane on, as docs/languages.md describes it. */
export interface LanguageRecipe {
  readonly name: string;
  /** What a service without OpenTelemetry copies, from the folder of this package. */
  readonly helper: string;
  /** The section of docs/languages.md. */
  readonly section: string;
}

const recipes: Readonly<Partial<Record<ServiceLanguage, LanguageRecipe>>> = {
  go: { name: 'Go', helper: 'helpers/go/suretylane', section: 'go' },
  python: { name: 'Python', helper: 'helpers/python/surety_lane.py', section: 'python' },
  java: { name: 'Java', helper: 'helpers/java/SuretyLane.java', section: 'java' },
  dotnet: { name: '.NET', helper: 'helpers/dotnet/SuretyLane.cs', section: 'net' },
};

export function recipeFor(language: ServiceLanguage): LanguageRecipe | undefined {
  return recipes[language];
}

const helperFile = /(?:^|\/)(?:suretylane\.go|surety_lane\.py|SuretyLane\.(?:java|cs))$/;
const manifest =
  /(?:^|\/)(?:go\.mod|requirements[^/]*\.txt|pyproject\.toml|Pipfile|setup\.py|pom\.xml|build\.gradle(?:\.kts)?|[^/]*\.[cf]sproj)$/;
/** Folders of Java packages are deep. */
const depthMax = 8;

/**
 * The language of a service whose files show neither a helper nor OpenTelemetry, so that it
 * probably drops keys; null if they do, or if the service calls nobody.
 */
export function droppingLanguage(root: string, service: ServiceConfig): ServiceLanguage | null {
  const { command, lane, tagging, environment, directory, dependsOn, isElsewhere } = service;
  if (tagging !== 'baggage' || isElsewhere || dependsOn.length === 0) return null;
  const started = [command, lane.command, ...Object.values(environment)].join(' ');
  if (/opentelemetry/i.test(started)) return null;
  const repository = new Repository(join(root, directory), depthMax);
  const files = repository.isDirectory('.') ? repository.files() : [];
  const shows = (file: string): boolean =>
    helperFile.test(file) || (manifest.test(file) && /opentelemetry/i.test(repository.text(file)));
  return files.some(shows) ? null : languageOf(root, service);
}
