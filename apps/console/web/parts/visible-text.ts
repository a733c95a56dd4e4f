import { options, type VNode } from 'preact';

/** Characters that turn the direction of text or take no room: with them one name can look like another. */
const HIDDEN = /[\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g;

/** Each of them as its number, such as `⟨202E⟩`. */
export const visibleText = (text: string): string =>
  text.replace(HIDDEN, (found) => `⟨${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);

function visible(children: unknown): unknown {
  if (typeof children === 'string') return visibleText(children);
  return Array.isArray(children) ? children.map(visible) : children;
}

const NAMED = ['title', 'aria-label'];

/** Has every text of every element shown like that. Values of fields stay as they are. */
export function showHiddenCharacters(): void {
  const before = options.vnode;
  options.vnode = (vnode: VNode) => {
    if (typeof vnode.type === 'string') {
      const props = vnode.props as Record<string, unknown>;
      if ('children' in props) props['children'] = visible(props['children']);
      for (const name of NAMED) if (typeof props[name] === 'string') props[name] = visible(props[name]);
    }
    before?.(vnode);
  };
}
