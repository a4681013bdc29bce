/**
 * Usernames that mix scripts: Cyrillic letters among Latin letters can look like another user's name (UTS #39 §5.2). A
 * username that users choose themselves has to be at the level "Highly Restrictive": one script, or scripts that are
 * written together.
 */

/** All of Unicode 16. The server rejects a letter of a newer script. */
const SCRIPTS = `
  Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki Bopomofo Brahmi Braille Buginese
  Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee Chorasmian Coptic Cuneiform Cypriot Cypro_Minoan Cyrillic Deseret
  Devanagari Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Garay Georgian Glagolitic Gothic Grantha Greek Gujarati
  Gunjala_Gondi Gurmukhi Gurung_Khema Han Hangul Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic Inscriptional_Pahlavi
  Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kawi Kayah_Li Kharoshthi Khitan_Small_Script Khmer Khojki Khudawadi Kirat_Rai Lao
  Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean Marchen Masaram_Gondi Medefaidrin
  Meetei_Mayek Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean Nag_Mundari Nandinagari
  New_Tai_Lue Newa Nko Nushu Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Ol_Onal Old_Hungarian Old_Italic Old_North_Arabian Old_Permic Old_Persian
  Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur Oriya Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician
  Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese Sunuwar
  Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Todhri
  Toto Tulu_Tigalari Ugaritic Vai Vithkuqi Wancho Warang_Citi Yezidi Yi Zanabazar_Square`;

/** Japanese, Chinese and Korean, each beside Latin. */
const TOGETHER = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];

/** Digits, signs and accents belong to no script, and may stand beside each. */
const areAllOf = (scripts: readonly string[]): RegExp =>
  new RegExp(
    `^[${['Common', 'Inherited', ...scripts].map((name) => `\\p{Script_Extensions=${name}}`).join('')}]*$`,
    'u',
  );

const WRITINGS = [
  ...TOGETHER,
  ...SCRIPTS.trim()
    .split(/\s+/)
    .map((script) => [script]),
];
/** Each is compiled on first use: all of them take a tenth of a second. */
const compiled: RegExp[] = [];

/**
 * Whether the letters of a username may stand together. @param username in the form in which the server compares
 * usernames.
 */
export function isOfOneWriting(username: string): boolean {
  const text = username.normalize('NFKC');
  return WRITINGS.some((scripts, at) => {
    compiled[at] ??= areAllOf(scripts);
    return compiled[at].test(text);
  });
}
