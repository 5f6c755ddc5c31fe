import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { api } from '../../api/client.ts';
import { wayBack } from '../../app-shell/left-lists.ts';
import { LinkButton } from '../../ui/button.tsx';
import { KeyboardHint } from '../../ui/keyboard-hint.tsx';
import { useShortcuts } from '../../ui/use-shortcuts.ts';
import * as words from './ended.words.ts';

interface Waiting {
  data: { id: string; action: string }[];
}

/** A link to the next request that this person can decide, or to the inbox. */
export function NextOne({ id, isFirstThing }: { id: string; isFirstThing: boolean }) {
  const { data } = useQuery({
    queryKey: ['inbox', 'next', id],
    queryFn: ({ signal }) =>
      api.get<Waiting>('/console/inbox', { signal, query: { can_decide: true, limit: 2 } }),
  });
  const back = wayBack('/inbox');
  const next = data?.data.find((item) => item.id !== id);
  const navigate = useNavigate();
  useShortcuts({ j: () => next && navigate(`/approve/${next.id}`) });
  return (
    <div className="approve-next">
      {next && (
        <LinkButton tone={isFirstThing ? 'primary' : 'secondary'} to={`/approve/${next.id}`}>
          {words.next(next.action)} <KeyboardHint keys="j" />
        </LinkButton>
      )}
      <LinkButton to={back.to} state={back.state}>
        {words.backTo(back.label)}
      </LinkButton>
    </div>
  );
}
