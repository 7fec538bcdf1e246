/** Each service after those that it depends on; or the circle that makes that impossible. */
export function startOrder(
  services: Readonly<Record<string, { readonly dependsOn: readonly string[] }>>,
): { readonly order: readonly string[]; readonly circle: readonly string[] } {
  const order: string[] = [];
  const path: string[] = [];
  let circle: string[] = [];
  const visit = (name: string): void => {
    if (order.includes(name) || circle.length > 0) return;
    if (path.includes(name)) {
      circle = [...path.slice(path.indexOf(name)), name];
      return;
    }
    path.push(name);
    for (const needed of services[name]?.dependsOn ?? []) visit(needed);
    path.pop();
    if (circle.length === 0) order.push(name);
  };
  for (const name of Object.keys(services)) visit(name);
  return { order, circle };
}
