/**
 * Puts the digest behind each place where the image stands; a digest that stands there already is replaced.
 */
export function pinText(text: string, image: string, digest: string): string {
  const name = image.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return text.replaceAll(
    new RegExp(`(?<![\\w./]|(?<!:)-)${name}(@sha256:[0-9a-f]{64})?(?![\\w.@-])`, 'g'),
    `${image}@${digest}`,
  );
}
