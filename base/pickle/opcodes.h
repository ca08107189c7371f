// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

namespace rankscope {

// Opcodes of pickle (Python's Lib/pickletools.py), those of protocols 2 to 4.
enum PickleOpcode : unsigned char {
    kProto = 0x80,
    kStop = '.',
    kMark = '(',
    kGlobal = 'c',
    kReduce = 'R',
    kBuild = 'b',
    kBinPersid = 'Q',
    kNone = 'N',
    kNewTrue = 0x88,
    kNewFalse = 0x89,
    kBinInt = 'J',
    kBinInt1 = 'K',
    kBinInt2 = 'M',
    kLong1 = 0x8a,
    kBinFloat = 'G',
    kBinUnicode = 'X',
    kShortBinString = 'U',
    kBinString = 'T',
    kShortBinBytes = 'C',
    kBinBytes = 'B',
    kBinBytes8 = 0x8e,
    kShortBinUnicode = 0x8c,
    kBinUnicode8 = 0x8d,
    kStackGlobal = 0x93,
    kMemoize = 0x94,
    kFrame = 0x95,
    kEmptyTuple = ')',
    kTuple1 = 0x85,
    kTuple2 = 0x86,
    kTuple3 = 0x87,
    kTuple = 't',
    kEmptyList = ']',
    kAppend = 'a',
    kAppends = 'e',
    kEmptyDict = '}',
    kSetItem = 's',
    kSetItems = 'u',
    kBinGet = 'h',
    kLongBinGet = 'j',
    kBinPut = 'q',
    kLongBinPut = 'r',
    // Only for Python code.
    kInst = 'i',
    kObj = 'o',
    kNewObj = 0x81,
    kNewObjEx = 0x92,
    kPersid = 'P',
    kExt1 = 0x82,
    kExt2 = 0x83,
    kExt4 = 0x84,
};

}  // namespace rankscope
