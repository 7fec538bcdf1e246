import { droppingLanguage, recipeFor } from '../../system/index.ts';
import { loadConfig } from '../load-config.ts';
import type { WorkspacePlace } from '../place.ts';
import type { DoctorCheck } from './doctor-check.ts';

/** Whether services without the preload have something that passes the keys of lanes on. */
export function checkLanguages(place: WorkspacePlace): Omit<DoctorCheck, 'name'> {
  const { services } = loadConfig(place);
  const dropping = Object.entries(services).flatMap(([name, service]) => {
    const language = droppingLanguage(place.root, service);
    return language === null ? [] : [{ name, recipe: recipeFor(language) }];
  });
  if (dropping.length === 0) return { level: 'ok', detail: 'nothing is known to drop keys' };
  const named = dropping.map(({ name, recipe }) => (recipe ? `${name} (${recipe.name})` : name));
  const helpers = new Set(dropping.flatMap(({ recipe }) => recipe?.helper ?? []));
  const copied = helpers.size > 0 ? `, or copy ${[...helpers].join(', ')} of this package` : '';
  return {
    level: 'note',
    detail: `no OpenTelemetry and no helper passes the keys of lanes on in ${named.join(', ')}; lanes run copies of them`,
    remedy: `use OpenTelemetry with baggage${copied}: docs/languages.md`,
  };
}
