/** Where Statehouse is meant to be: ratios within one run, so that they hold on any machine. */
export type Aim = {
  readonly row: string;
  readonly figure: 'server' | 'postgres';
  /** Another server, in the same run; null: the figure itself, in the unit of its row. */
  readonly than: 'floor' | 'oidc-provider' | null;
  readonly atMost: number;
};

const aim = (row: string, figure: Aim['figure'], than: Aim['than'], atMost: number): Aim => ({
  row,
  figure,
  than,
  atMost,
});

export const AIMS: readonly Aim[] = [
  aim('whole-authorization, 8 in flight', 'server', 'floor', 2.5),
  aim('whole-authorization, 8 in flight', 'postgres', 'floor', 2.5),
  aim('whole-authorization, 8 in flight', 'server', 'oidc-provider', 0.5),
  aim('client-credentials, 8 in flight', 'server', 'floor', 1.4),
  aim('client-credentials, 8 in flight', 'server', 'oidc-provider', 0.7),
  aim('client-credentials, 32 in flight', 'server', 'floor', 1.4),
  aim('client-credentials, 32 in flight', 'server', 'oidc-provider', 0.7),
  aim('introspection, 8 in flight', 'server', 'floor', 1.5),
  aim('rotation, 8 in flight', 'server', 'floor', 1.4),
  aim('rotation, 32 in flight', 'server', 'floor', 1.2),
  aim('start to ready, CPU s', 'server', null, 0.6),
  aim('memory idle, MB', 'server', null, 110),
  aim('memory after operations, MB', 'server', null, 150),
];
