/** Building blocks for the lists of the account pages: passkeys, device keys, devices, sessions, identities. */
import type { ReactNode } from 'react';
import { refreshAccount } from '../../api/account.ts';
import { useForm } from '../../api/use-form.ts';
import { fieldProblem } from '../../api/use-submit.ts';
import { toast } from '../../ui/announce.tsx';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { DateTime, RelativeTime } from '../../ui/time.tsx';
import * as words from './account.words.ts';

export function AccountLine({
  icon,
  name,
  badge,
  actions,
  children,
}: {
  icon: IconName;
  name: ReactNode;
  badge?: ReactNode;
  actions?: ReactNode;
  /** Details about the entry. */
  children: ReactNode;
}) {
  return (
    <li className="account-line">
      <Icon name={icon} size={20} />
      <div>
        <div className="row">
          <strong>{name}</strong>
          {badge}
        </div>
        {children}
      </div>
      {actions && <div className="button-row">{actions}</div>}
    </li>
  );
}

/** A button in a line. Screen readers announce the entry that the button belongs to. */
export function LineButton({ does, of, onClick }: { does: string; of: string; onClick: () => void }) {
  return (
    <Button size="s" tone="quiet" onClick={onClick}>
      {does}
      <span className="unseen"> {of}</span>
    </Button>
  );
}

/** `Added …, last used …`, or that it has not been used yet. */
export function AddedAndLast({
  at,
  lastAt,
  last = words.lastUsed,
  notYet = words.notUsed,
}: {
  at: string;
  lastAt: string | null;
  last?: (at: ReactNode) => ReactNode;
  notYet?: string;
}) {
  const end = lastAt === null ? notYet : last(<RelativeTime at={lastAt} />);
  return <div className="soft small">{words.added(<DateTime at={at} />, end)}</div>;
}

/** Asks for a name by which the person recognises the entry. */
export function NameDialog({
  title,
  submitLabel = words.saveName,
  inputName,
  first,
  save,
  done,
  onClose,
  children,
}: {
  title: string;
  submitLabel?: string;
  inputName: string;
  first: string | (() => string);
  save: (name: string) => Promise<unknown>;
  done: string;
  onClose: () => void;
  children?: ReactNode;
}) {
  const form = useForm(
    () => ({ name: typeof first === 'string' ? first : first() }),
    async ({ name }) => {
      if (name.trim() === '') throw fieldProblem('name', words.nameMissing);
      await save(name.trim());
      toast(done);
      onClose();
      await refreshAccount();
    },
  );
  return (
    <FormDialog title={title} submitLabel={submitLabel} form={form} onClose={onClose}>
      {children}
      <TextField
        label={words.name}
        hint={words.nameHint}
        name={inputName}
        autoComplete="off"
        {...form.field('name')}
      />
    </FormDialog>
  );
}
