import { LinkButton } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';

/** Shown before the person presses a button that the gate would refuse: the reason, the fix, and the way back. */
export function NothingToConfirmWith({ isKey, userCode }: { isKey: boolean; userCode: string }) {
  const back = encodeURIComponent(`/connect#${userCode}`);
  return (
    <Notice tone="warn" title="First you need a password or a passkey here">
      <p>
        {isKey ? 'A device key' : 'A program that may approve and deny'} takes your own confirmation, and you
        sign in only at your provider, which cannot give it. Set a password, and you are taken back to this
        question.
      </p>
      <LinkButton to={`/account/security?return_to=${back}`}>Set a password</LinkButton>
    </Notice>
  );
}
