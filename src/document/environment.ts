export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

const reference = /\$\{([A-Za-z_]\w*)\}/g;

/** `${NAME}` in a text, taken from the environment. What it lacks stays as it is, and is named. */
export function fillText(
  text: string,
  environment: EnvironmentVariables,
): { readonly text: string; readonly missing: readonly string[] } {
  const missing: string[] = [];
  const filled = text.replace(reference, (whole, name: string) => {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value === undefined) missing.push(name);
    return value ?? whole;
  });
  return { text: filled, missing };
}
