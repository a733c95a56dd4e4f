import { useTodoIn } from '../../live/cluster-access.js';
import { CodeBlock } from '../../parts/copy.js';

/** Shows a command with which a person asks the cluster without the hub; `lead` names its purpose. */
export function OwnCommand({ cluster, lead, command }: Readonly<{ cluster: string; lead: string; command: string }>) {
  const todo = useTodoIn(cluster)?.(`${lead}: ${command}`);
  if (todo === undefined) return null;
  return (
    <>
      <p>{todo.text}</p>
      <CodeBlock text={todo.command} label="Command" />
    </>
  );
}
