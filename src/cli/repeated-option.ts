/** For commander: an option that may be given several times, in order. */
export const each = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];
