import { keep, recall } from '../../../../api/kept-on-device.ts';

/**
 * A draft in the session storage of this tab. If the browser refuses storage, the draft lasts until the person leaves.
 */
export interface KeptDraft {
  text: string;
  /** The text from which the draft started. */
  original: string;
  base: { version: number; hash: string };
}

const keyOf = (projectId: string) => `permitry-policy-draft ${projectId}`;

export function readKept(projectId: string): KeptDraft | undefined {
  try {
    const kept = JSON.parse(recall(keyOf(projectId), 'sessionStorage') ?? 'null') as KeptDraft | null;
    const isWhole =
      typeof kept?.text === 'string' &&
      typeof kept.original === 'string' &&
      typeof kept.base.hash === 'string' &&
      typeof kept.base.version === 'number';
    return isWhole ? kept : undefined;
  } catch {
    return undefined;
  }
}

export function keepDraft(projectId: string, draft: KeptDraft): void {
  keep(keyOf(projectId), JSON.stringify(draft), 'sessionStorage');
}

export function forgetKept(projectId: string): void {
  keep(keyOf(projectId), null, 'sessionStorage');
}
