/** What to do about a service that did not become healthy, by what is known of the reason. */
export function startAdvice(service: string, reason: string): string {
  const key = `services.${service}`;
  if (/was not found|cannot be executed/.test(reason)) {
    return (
      `${key}.command in surety.yaml runs in ${key}.directory, in a checkout of what is committed. ` +
      `Name a program that is there, or write ${key}.install or ${key}.build to make it.`
    );
  }
  if (/ answered \d+ for /.test(reason)) {
    return (
      `It listens, but is not ready. What its health path asks for (other services, a datastore) must run: ` +
      `name it under ${key}.dependsOn or ${key}.stores. Or name another path that answers 200: ${key}.health.`
    );
  }
  if (/did not answer/.test(reason)) {
    return (
      `It must listen on the port in PORT, and answer there in time (${key}.startSeconds). For a Node or ` +
      `Python program that has its port built in, write ${key}.builtInPort.`
    );
  }
  return `The last lines of its log are above.`;
}
