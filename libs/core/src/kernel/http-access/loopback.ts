/** Whether only the same machine reaches what listens on the address. */
export const isLoopback = (address: string): boolean => address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address);
