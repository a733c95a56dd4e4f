/** The right that was missing when the API server refused a request, and the user that needs it. */
type DeniedRight = Readonly<{
  user: string;
  verb: string;
  /** The resource, with its subresource: `subscriptions/status`. */
  resource: string;
  group: string;
}>;

const DENIED = /\bis forbidden: User "([^"]+)" cannot ([a-z*]+) resource "([^"]+)" in API group "([^"]*)"/;

/**
 * Reads the missing right from the API server's own words. Returns undefined for any other refusal or error.
 */
export function deniedRight(text: string): DeniedRight | undefined {
  const [, user, verb, resource, group] = DENIED.exec(text) ?? [];
  if (user === undefined || verb === undefined || resource === undefined || group === undefined) return undefined;
  return { user, verb, resource, group };
}
