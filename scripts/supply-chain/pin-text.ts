/** Puts the digest behind each place of the image; replaces a digest that is there already. */
export function pinText(text: string, image: string, digest: string): string {
  const name = image.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return text.replaceAll(
    new RegExp(`(?<![\\w./]|(?<!:)-)${name}(@sha256:[0-9a-f]{64})?(?![\\w.@-])`, 'g'),
    `${image}@${digest}`,
  );
}
