import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldError } from '../../../api/api-error.ts';
import { api } from '../../../api/client.ts';
import { useRole } from '../../../api/session.ts';
import { toast } from '../../../ui/announce.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { projectPath } from '../project-frame/queries.ts';
import type { Retention } from '../project-frame/wire.ts';

const MOST_DAYS = 36_500;

/** How long texts about people are kept. Hashes stay for good, so that everything still verifies. */
export function RetentionCard({ projectId }: { projectId: string }) {
  const { isAtLeast } = useRole(projectId);
  const { data, error } = useQuery({
    queryKey: ['projects', projectId, 'retention'],
    queryFn: ({ signal }) => api.get<Retention>(projectPath(projectId, '/retention'), { signal }),
  });
  return (
    <Card
      title="How long texts are kept"
      lead="Parameters, reasons and names of people are erased when they are older. Hashes, ids and times stay, so permits, receipts and the audit log verify as before."
    >
      <ErrorPanel error={error} />
      {data && (
        <div className="stack">
          <p>
            {sayDays(data.days_in_force)}
            {data.days === null ? ', as the gate’s own setting says.' : ', as this project says.'}
          </p>
          {isAtLeast('owner') && (
            <RetentionForm key={String(data.days)} projectId={projectId} retention={data} />
          )}
        </div>
      )}
    </Card>
  );
}

type Choice = 'gate' | 'ever' | 'days';

function RetentionForm({ projectId, retention }: { projectId: string; retention: Retention }) {
  const { days: current, gate_days: gateDays, days_in_force: inForce } = retention;
  const [choice, setChoice] = useState<Choice>(current === null ? 'gate' : current === 0 ? 'ever' : 'days');
  const [days, setDays] = useState(String(current || 365));
  const [problem, setProblem] = useState('');
  const [isAsking, setAsking] = useState(false);
  const queryClient = useQueryClient();
  const wanted = choice === 'gate' ? null : choice === 'ever' ? 0 : Number(days);
  const willHold = wanted ?? gateDays;
  const save = useMutation({
    mutationFn: () => api.put(projectPath(projectId, '/retention'), { days: wanted }),
    onSuccess: async () => {
      setAsking(false);
      toast('Set how long texts are kept.');
      await queryClient.invalidateQueries({ queryKey: ['projects', projectId] });
    },
    onError: () => setAsking(false),
  });

  const submit = () => {
    const isNumber = wanted === null || (Number.isInteger(wanted) && wanted >= 0 && wanted <= MOST_DAYS);
    if (!isNumber || (choice === 'days' && wanted === 0)) {
      setProblem(`Give a whole number of days from 1 to ${MOST_DAYS}.`);
      return;
    }
    setProblem('');
    // Keeping longer takes nothing away; keeping shorter does.
    const isShorter = willHold !== 0 && (inForce === 0 || willHold < inForce);
    if (isShorter) setAsking(true);
    else save.mutate();
  };

  return (
    <>
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <fieldset className="stack tight">
          <legend className="unseen">Keep texts</legend>
          <Choose
            value="gate"
            chosen={choice}
            choose={setChoice}
            label={`As the gate says (${sayDays(gateDays).toLowerCase()})`}
          />
          <Choose value="ever" chosen={choice} choose={setChoice} label="For ever" />
          <Choose value="days" chosen={choice} choose={setChoice} label="For so many days" />
        </fieldset>
        {choice === 'days' && (
          <TextField
            label="Days"
            inputMode="numeric"
            value={days}
            error={problem || fieldError(save.error, 'days')}
            onChange={(event) => setDays(event.target.value)}
          />
        )}
        {!fieldError(save.error, 'days') && <ErrorPanel error={save.error} />}
        <div className="button-row">
          <Button type="submit" busy={save.isPending} disabled={wanted === current}>
            Save
          </Button>
        </div>
      </form>
      <ConfirmDialog
        open={isAsking}
        title="Erase older texts?"
        confirmLabel="Save and erase"
        busy={save.isPending}
        onConfirm={() => save.mutate()}
        onCancel={() => setAsking(false)}
      >
        <p>
          Texts of more than {willHold} {willHold === 1 ? 'day' : 'days'} are erased within the hour, and do
          not come back. Backups keep what they hold.
        </p>
      </ConfirmDialog>
    </>
  );
}

function Choose({
  value,
  chosen,
  choose,
  label,
}: {
  value: Choice;
  chosen: Choice;
  choose: (value: Choice) => void;
  label: string;
}) {
  return (
    <Checkbox
      kind="radio"
      name="retention"
      label={label}
      checked={chosen === value}
      onChange={() => choose(value)}
    />
  );
}

function sayDays(days: number): string {
  if (days === 0) return 'Kept for ever';
  return days === 1 ? 'Kept for one day' : `Kept for ${days} days`;
}
