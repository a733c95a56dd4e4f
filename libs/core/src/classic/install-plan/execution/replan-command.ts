/** The command that has the hub make a plan of its own in place of this one, as users can paste it. */
export const replanCommand = ({ name, namespace }: Readonly<{ name: string; namespace: string }>): string =>
  `flotilla retry installplan ${name} -n ${namespace} --replan`;
