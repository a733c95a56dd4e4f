import { useState } from 'preact/hooks';

/** Copies a text, and says so. */
export function Copy({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <button type="button" class="copy" onClick={() => void copy()}>
      <span aria-live="polite">{copied ? 'Copied' : label}</span>
    </button>
  );
}

/** A command or manifest, with the button that copies it. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div class="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard */}
      <pre tabIndex={0} aria-label={label} role="region">
        {text}
      </pre>
      <Copy text={text} />
    </div>
  );
}
