import { LinkButton } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import * as words from './connect.words.ts';

/** Shown before the person presses a button that the gate would refuse: the reason, the fix, and the way back. */
export function NothingToConfirmWith({ isKey, userCode }: { isKey: boolean; userCode: string }) {
  const back = encodeURIComponent(`/connect#${userCode}`);
  return (
    <Notice tone="warn" title={words.proofNeeded.title}>
      <p>{isKey ? words.proofNeeded.forKey : words.proofNeeded.forProgram}</p>
      <LinkButton to={`/account/security?return_to=${back}`}>{words.proofNeeded.setPassword}</LinkButton>
    </Notice>
  );
}
