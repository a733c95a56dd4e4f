import { useState } from 'preact/hooks';
import type { ObjectAddress, WholeObject } from '../../../src/api/questions.schema.js';
import { saveFile } from '../../list/save-file.js';
import { post, refusalFrom } from '../../live/ask.js';

/** Makes a file name that file systems accept from names that clusters chose. */
const fileName = ({ cluster, kind, namespace, name }: ObjectAddress): string =>
  `${[cluster, namespace, kind.toLowerCase(), name]
    .filter(Boolean)
    .map((part) => part.replaceAll(/[^\w.-]/g, '-'))
    .join('_')
    .slice(0, 200)}.yaml`;

async function unpacked({ gzip }: WholeObject): Promise<Blob> {
  const bytes = Uint8Array.from(atob(gzip), (char) => char.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).blob();
}

/** Keeps an object that a page does not show to its end as a file. */
export function WholeObjectButton({ of }: { of: ObjectAddress }) {
  const [state, setState] = useState<Readonly<{ busy?: boolean; says?: string }>>({});
  const save = async () => {
    setState({ busy: true });
    try {
      saveFile(fileName(of), 'application/yaml', await unpacked(await post<WholeObject>('questions/whole-object', of)));
      setState({});
    } catch (error) {
      const { detail, todo } = refusalFrom(error);
      setState({ says: `${detail} ${todo}` });
    }
  };
  return (
    <>
      <button type="button" disabled={state.busy} onClick={() => void save()}>
        <span aria-hidden="true">↓ </span>Download all of it
      </button>
      {state.says && <p role="status">{state.says}</p>}
    </>
  );
}
