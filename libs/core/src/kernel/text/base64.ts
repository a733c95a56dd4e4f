/** PEM texts are plain ASCII. */
export const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
