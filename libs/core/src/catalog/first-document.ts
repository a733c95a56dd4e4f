const BOUNDARY = /^(?:---|\.\.\.)(?=\s|$)/gm;
const ONLY_COMMENTS = /^(?:[ \t]*(?:#.*)?(?:\r?\n|$))*$/;

/** A YAML text up to the mark that ends its first document; a separator with nothing but comments before it opens that. */
export function cutFirstDocument(text: string): string {
  const marks = [...text.matchAll(BOUNDARY)];
  const [first] = marks;
  const opens = first?.[0] === '---' && ONLY_COMMENTS.test(text.slice(0, first.index));
  return text.slice(0, marks[opens ? 1 : 0]?.index);
}
