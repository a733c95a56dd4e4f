/** What to do, as a command for this cluster where it is one of ours, or of kubectl. */
export function commandIn(cluster: string, todo: string): string {
  if (/(^|: )flotilla (approve|explain|retry|clusters check)\b[^:]*$/.test(todo)) return `${todo} -C ${cluster}`;
  return todo.replaceAll(/(^|: )kubectl /g, `$1kubectl --context ${cluster} `);
}
