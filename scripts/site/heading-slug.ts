/** The anchor of a heading, as GitHub makes it. */
export const headingSlug = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    .replaceAll(' ', '-');

/** Anchors of the headings of one page: equal ones are numbered. */
export class HeadingSlugs {
  readonly #counts = new Map<string, number>();

  next(heading: string): string {
    const slug = headingSlug(heading);
    const count = this.#counts.get(slug) ?? 0;
    this.#counts.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  }
}
